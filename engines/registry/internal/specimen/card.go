package specimen

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
)

// Card is what a document's picture shows. Texts are in the letters of ASCII.
type Card struct {
	Title, Authority string
	Surname, Given   string
	Born, Sex        string
	Number           string
	Issued, Expires  string // Expires may be empty
	Female           bool
	Seed             uint64 // of the person, so that all their papers show one face
	Hue              int    // which of the background tints
}

// The size of a card in pixels: ten a millimetre of ISO/IEC 7810 ID-1.
const (
	cardWidth  = 856
	cardHeight = 540
)

var tints = []color.RGBA{{222, 234, 246, 255}, {232, 240, 224, 255}, {246, 236, 220, 255}, {240, 226, 236, 255}}

// The national colours, at the head of every card.
var (
	skyBlue = color.RGBA{0, 127, 255, 255}
	red     = color.RGBA{206, 16, 33, 255}
	yellow  = color.RGBA{247, 214, 24, 255}
	ink     = color.RGBA{20, 24, 40, 255}
	faint   = color.RGBA{176, 186, 200, 255}
)

// PNG draws the card, marked as a specimen; 856 × 540 pixels, the same for the same card.
func (c Card) PNG() ([]byte, error) {
	looks := faceOf(c.Seed, c.Female)
	paper := tints[c.Hue%len(tints)]
	img := image.NewPaletted(image.Rect(0, 0, cardWidth, cardHeight), color.Palette{
		paper, skyBlue, red, yellow, ink, faint, hair, white, dark, looks.wall, looks.shirt, looks.skin,
		shade(looks.skin, 85), shade(looks.skin, 90), shade(looks.skin, 94), shade(color.RGBA{150, 70, 70, 255}, 80),
	})
	c.background(img)
	looks.draw(img, image.Rect(40, 130, 265, 430))
	c.texts(img)
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&out, img); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func (c Card) background(img *image.Paletted) {
	r := newRand(c.Seed, whatCard)
	for range 14 { // a pattern of fine rings behind the text
		x, y, size := r.IntN(cardWidth), r.IntN(cardHeight), 60+r.IntN(160)
		ellipse(img, image.Rect(x-size, y-size, x+size, y+size), faint)
		ellipse(img, image.Rect(x-size+2, y-size+2, x+size-2, y+size-2), img.Palette[0])
	}
	fill(img, image.Rect(0, 0, cardWidth, 84), skyBlue)
	fill(img, image.Rect(0, 84, cardWidth, 90), yellow)
	fill(img, image.Rect(0, 90, cardWidth, 98), red)
}

func (c Card) texts(img *image.Paletted) {
	write(img, 40, 16, 3, white, "Republique Democratique du Congo")
	write(img, 40, 50, 3, white, c.Title)
	line := func(row int, label, value string) {
		y := 118 + row*54
		write(img, 300, y, 2, ink, label)
		write(img, 300, y+20, 3, ink, value)
	}
	line(0, "Nom / Surname", c.Surname)
	line(1, "Prenom / Given names", c.Given)
	line(2, "Ne(e) le / Born", c.Born+"   "+c.Sex)
	line(3, "Numero / Number", c.Number)
	line(4, "Delivre le / Issued", c.Issued)
	line(5, "Expire le / Expires", or(c.Expires, "-"))
	scale := 2
	for scale > 1 && textWidth(c.Authority, scale) > cardWidth-80 {
		scale--
	}
	write(img, 40, 452, scale, ink, c.Authority)
	write(img, 40, 486, 5, red, "SPECIMEN")
	write(img, 320, 494, 2, red, "Personne fictive - sans valeur")
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
