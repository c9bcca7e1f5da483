package matching_test

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// pool are the names which generated pairs are made of. The set for development and the set that is
// asserted have pools without a common name, so that nothing is tuned to what it is measured by.
type pool struct {
	last, post, first, short []string
	compound                 []string    // names written in two words
	habits                   [][2]string // one sound written in two ways
}

var development = pool{
	last: strings.Fields("Kabongo Mukendi Kalonji Tshimanga Ilunga Mutombo Kasongo Mbuyi Kabeya Lukusa Nkulu Banza Ngandu Mpoyi Kazadi " +
		"Mulamba Kanku Bukasa Tshiala Lumumba"),
	post: strings.Fields("Mwamba Kapinga Ngalula Kalala Mujinga Masengu Kabedi Lubanza Mpiana Ntumba Biaya Kamwanya Musau Odia Tshibola Kyungu " +
		"Makiese Luzolo Nsimba Matondo"),
	first: strings.Fields("Jean Marie Joseph Béatrice Thérèse Emmanuel Grâce Dieudonné Pascal Chantal Élise Roger Sylvie Alphonse Nadine " +
		"Patrick Esther Christophe Aimé Solange"),
	short:    strings.Fields("Luba Kafa Bope Nsia Lema Mata Ilo Ebu"),
	compound: []string{"Van Damme", "wa Mulumba", "Kasa Vubu", "Ilunga Mbidi", "de Souza", "wa Kabila"},
	habits: [][2]string{{"Tshibangu", "Chibangu"}, {"Djamba", "Jamba"}, {"Kalubi", "Kaloubi"}, {"Joseph", "Josef"}, {"Ngoyi", "Ngoy"},
		{"Mwanza", "Muanza"}, {"Cibola", "Tshibola"}, {"Kasayi", "Kasai"}, {"Emmanuel", "Emanuel"}},
}

var asserted = pool{
	last: strings.Fields("Bokanga Ekofo Mabiala Nzuzi Lufuluabo Katumbi Mwepu Kitenge Ngoma Bolamba Ekanga Lokwa Mayele Nlandu Phanzu " +
		"Shabani Amisi Bahati Cirhuza Mugisho Byamungu Kambale Paluku Muhindo Mumbere Masika Likulia Engulu Boboliko Tshikapa Wabenga " +
		"Mangala Kimbembe Samba Mavungu Khonde Bilongo Isekeno Lomami Yenga"),
	post: strings.Fields("Kavira Kahindo Nabintu Furaha Zawadi Neema Riziki Bisimwa Murhula Safari Mapendo Baraka Lwamba Kisimba Kilolo " +
		"Ngoie Monga Kayembe Mbombo Tshilanda Mbayo Lunda Ebengo Botuli Eyenga Bompaka Lisasi Wembo Nkosi Kinkela Mpasi Lutete Nkenge " +
		"Malonda Vuvu Kiala Bazola Ndona Mfumu Lukoki"),
	first: strings.Fields("Pierre François Véronique Albertine Gédéon Héritier Merveille Trésor Espérance Fidèle Clémentine Serge Olivier " +
		"Jacqueline Antoinette Blaise Gloire Exaucée Ruth Moïse Noëlla Sarah Eugène Célestin Adolphe Régine Victorine Anicet Bijoux Léon " +
		"Fabrice Judith Junior Plamedi Josué Rebecca Augustin Godelieve Hortense Zacharie"),
	short:    strings.Fields("Ngo Sita Beya Lusa Mayo Vita Kuba Wawa Boma Lisa Esa Tumo Nene Oto"),
	compound: []string{"wa Bilenga", "Mobutu Seko", "Van Hecke", "ya Mbemba", "Kanyama Tshisaka", "da Costa", "de la Fosse", "Bemba Saolona", "Lukunku Mbaya"},
	habits: [][2]string{{"Tshilombo", "Chilombo"}, {"Ndjoli", "Njoli"}, {"Mukuna", "Moukouna"}, {"Stephanie", "Stefanie"}, {"Luyeye", "Luieie"},
		{"Mbuyamba", "Mbouyamba"}, {"Cishugi", "Tshishugi"}, {"Matthieu", "Mathieu"}, {"Ngoyi", "Ngoy"}, {"Kwete", "Kouete"}, {"Philemon", "Filemon"},
		{"Tchamala", "Tshamala"}},
}

// generator draws pairs of names, always the same ones for a seed.
type generator struct {
	*rand.Rand
	pool
}

func newGenerator(p pool, seed uint64) *generator {
	return &generator{Rand: rand.New(rand.NewPCG(seed, seed)), pool: p}
}

func (g *generator) one(of []string) string { return of[g.IntN(len(of))] }

// person is a last name, nearly always a middle name (post-nom), and one or two first names.
func (g *generator) person() []string {
	p := []string{g.one(g.last)}
	if g.IntN(6) > 0 {
		p = append(p, g.one(g.post))
	}
	first := g.one(g.first)
	p = append(p, first)
	if second := g.one(g.first); g.IntN(4) == 0 && second != first {
		p = append(p, second)
	}
	return p
}

// named is a person with a middle name and one first name.
func (g *generator) named() []string { return []string{g.one(g.last), g.one(g.post), g.one(g.first)} }

// another is one of the names, but not the one given.
func (g *generator) another(of []string, than string) string {
	for {
		if n := g.one(of); n != than {
			return n
		}
	}
}

// noisy writes the words in another order, case and accents, as forms are filled in.
func (g *generator) noisy(words []string) string {
	words = slices.Clone(words)
	if g.IntN(2) == 0 {
		g.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	}
	text := strings.Join(words, g.one([]string{" ", " ", "-", "  "}))
	switch g.IntN(4) {
	case 0:
		text = strings.ToUpper(text)
	case 1:
		text = strings.ToLower(text)
	}
	if g.IntN(2) == 0 {
		text = strings.NewReplacer("é", "e", "è", "e", "ï", "i", "ë", "e", "ç", "c", "â", "a", "É", "E", "È", "E", "ô", "o").Replace(text)
	} else if i := strings.IndexAny(text, "oiuao"); i >= 0 {
		text = text[:i+1] + "\u0301" + text[i+1:]
	}
	return text
}

// slip makes one error of the hand in a word: a letter changed, dropped, doubled elsewhere, or two swapped.
func (g *generator) slip(word string) string {
	r := []rune(word)
	for {
		i, changed := g.IntN(len(r)-1), slices.Clone(r)
		switch g.IntN(4) {
		case 0:
			changed[i] = rune('a' + g.IntN(26))
		case 1:
			changed = slices.Delete(changed, i, i+1)
		case 2:
			changed = slices.Insert(changed, i, rune('a'+g.IntN(26)))
		case 3:
			changed[i], changed[i+1] = changed[i+1], changed[i]
		}
		if !strings.EqualFold(string(changed), word) {
			return string(changed)
		}
	}
}

// long is the place of a word of at least n letters, or -1.
func (g *generator) long(words []string, n int) int {
	for _, i := range g.Perm(len(words)) {
		if len([]rune(words[i])) >= n {
			return i
		}
	}
	return -1
}

// Whom a pair is of. A limit is of either: it shows what the rules cannot tell, and has no aim.
const (
	same  = "same"
	other = "other"
	limit = "limit"
)

// kinds are the pairs of the evaluation.
var kinds = []struct {
	name   string
	person string
	make   func(g *generator) (claimed, registered []string)
}{
	{"same words", same, func(g *generator) ([]string, []string) { p := g.person(); return p, p }},
	{"missing middle", same, func(g *generator) ([]string, []string) {
		p := g.named()
		return []string{p[0], p[2]}, p
	}},
	{"initial", same, func(g *generator) ([]string, []string) {
		p := g.person()
		c, last := slices.Clone(p), len(p)-1
		c[last] = string([]rune(c[last])[:1]) + "."
		return c, p
	}},
	{"one slip", same, func(g *generator) ([]string, []string) {
		p := g.person()
		c := slices.Clone(p)
		// A slip may also shorten its word, which then must still have five letters.
		if i := g.long(c, 6); i >= 0 {
			c[i] = g.slip(c[i])
		}
		return c, p
	}},
	{"joined or split", same, func(g *generator) ([]string, []string) {
		p := g.person()
		compound := g.one(g.compound)
		joined := append(slices.Clone(p[1:]), strings.ReplaceAll(compound, " ", ""))
		split := append(slices.Clone(p[1:]), strings.Fields(compound)...)
		if g.IntN(2) == 0 {
			return joined, split
		}
		return split, joined
	}},
	{"spelling habit", same, func(g *generator) ([]string, []string) {
		p, habit := g.person(), g.habits[g.IntN(len(g.habits))]
		p[0] = habit[0]
		c := slices.Clone(p)
		c[0] = habit[1]
		if g.IntN(2) == 0 {
			return p, c
		}
		return c, p
	}},
	{"missing and slip", same, func(g *generator) ([]string, []string) {
		p := g.named()
		c := []string{p[0], p[2]}
		if i := g.long(c, 6); i >= 0 {
			c[i] = g.slip(c[i])
		}
		return c, p
	}},
	{"other person", other, func(g *generator) ([]string, []string) {
		for {
			if a, b := g.person(), g.person(); !slices.Equal(a, b) {
				return a, b
			}
		}
	}},
	{"sibling", other, func(g *generator) ([]string, []string) {
		p := g.named()
		return []string{p[0], p[1], g.another(g.first, p[2])}, p
	}},
	{"shared first name", other, func(g *generator) ([]string, []string) {
		p := g.named()
		return []string{g.another(g.last, p[0]), g.another(g.post, p[1]), p[2]}, p
	}},
	{"near short name", other, func(g *generator) ([]string, []string) {
		p := g.named()
		p[0] = g.one(g.short)
		c := slices.Clone(p)
		near := []byte(c[0])
		for i := 1 + g.IntN(len(near)-1); string(near) == c[0]; {
			near[i] = byte('a' + g.IntN(26))
		}
		c[0] = string(near)
		return c, p
	}},
	{"first name alone", other, func(g *generator) ([]string, []string) {
		p := g.named()
		return p[2:], p
	}},
	{"slip, short name", limit, func(g *generator) ([]string, []string) {
		p := g.named()
		p[0] = g.one(g.short)
		return []string{g.slip(p[0]), p[1], p[2]}, p
	}},
	{"near long name", limit, func(g *generator) ([]string, []string) {
		p, near := g.named(), nearLong[g.IntN(len(nearLong))]
		p[0] = near[0]
		return []string{near[1], p[1], p[2]}, p
	}},
}

// nearLong are names of different persons which are as near as a slip.
var nearLong = [][2]string{
	{"Kabeya", "Kabuya"}, {"Mulumba", "Mulamba"}, {"Kabila", "Kabala"}, {"Kalonda", "Kalonga"}, {"Christian", "Christiane"},
	{"Daniel", "Danielle"}, {"Nsimba", "Simba"}, {"Désiré", "Désirée"},
}
