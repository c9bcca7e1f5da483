package registry

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

//go:embed data/*.txt
var countryFiles embed.FS

// country is what the synthetic population is made of: places, peoples with their names and languages, given
// names, occupations. The text files in data/ say it, one entry a line. Frequent entries stand in the slices
// several times, so that an even draw takes them more often.
type country struct {
	places      []*area            // every area of the country
	placesOf    map[string][]*area // by province
	peoples     []*people
	male        []string // given names
	female      []string
	avenues     []string
	occupations []occupation
}

// area is a commune of a town.
type area struct {
	province, city, commune string
	quartiers               []string
}

// people is a people of the country.
type people struct {
	name, language string   // language: ISO 639 code
	homes          []string // provinces
	surnames       []string // serve as postnoms too
}

// occupation is a trade with its sector and who employs in it; an empty employer is the person's own business.
type occupation struct {
	male, female, sector string
	employers            []string
}

// theCountry reads the files once. They are part of the binary, so a fault in them is one of this package.
var theCountry = sync.OnceValue(func() *country {
	c := &country{placesOf: map[string][]*area{}, avenues: lines("avenues.txt")}
	common := lines("quartiers.txt")
	for _, line := range lines("places.txt") {
		f := columns(line, 4)
		a := &area{province: f[1], city: f[2], quartiers: common}
		commune, quartiers, listed := strings.Cut(f[3], ":")
		if a.commune = commune; listed {
			a.quartiers = list(quartiers)
		}
		for range weight(f[0]) {
			c.places = append(c.places, a)
			c.placesOf[a.province] = append(c.placesOf[a.province], a)
		}
	}
	for _, line := range lines("peoples.txt") {
		f := columns(line, 5)
		p := &people{name: f[1], language: f[2], homes: list(f[3]), surnames: list(f[4])}
		for range weight(f[0]) {
			c.peoples = append(c.peoples, p)
		}
	}
	given := lines("given_names.txt")
	c.male, c.female = list(given[0]), list(given[1])
	for _, line := range lines("occupations.txt") {
		f := columns(line, 4)
		c.occupations = append(c.occupations, occupation{male: f[0], female: f[1], sector: f[2], employers: list(f[3])})
	}
	return c
})

// peopleNamed finds a people that the data must have.
func (c *country) peopleNamed(name string) *people {
	for _, p := range c.peoples {
		if p.name == name {
			return p
		}
	}
	panic("no people is named " + name)
}

// lines are the lines of a data file without comments.
func lines(name string) []string {
	text, err := countryFiles.ReadFile("data/" + name)
	if err != nil {
		panic(err)
	}
	var kept []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			kept = append(kept, line)
		}
	}
	return kept
}

func columns(line string, want int) []string {
	f := strings.Split(line, "|")
	if len(f) != want {
		panic(fmt.Sprintf("data line %q has %d columns, want %d", line, len(f), want))
	}
	return f
}

func list(s string) []string {
	items := strings.Split(s, ",")
	for i := range items {
		items[i] = strings.TrimSpace(items[i])
	}
	return items
}

func weight(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}
