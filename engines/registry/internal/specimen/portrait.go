package specimen

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"math/rand/v2"
)

// The size of a portrait in pixels.
const (
	portraitWidth  = 600
	portraitHeight = 800
)

// What keeps the files of one person apart.
const (
	whatFace = iota + 1
	whatFingerprint
	whatIris
	whatCard
)

var (
	skins  = []color.RGBA{{92, 58, 40, 255}, {110, 70, 48, 255}, {78, 48, 33, 255}, {128, 84, 58, 255}, {62, 39, 29, 255}}
	shirts = []color.RGBA{{30, 70, 140, 255}, {140, 30, 45, 255}, {235, 235, 230, 255}, {25, 100, 70, 255}, {200, 150, 40, 255}}
	walls  = []color.RGBA{{214, 222, 230, 255}, {228, 228, 224, 255}, {205, 218, 210, 255}}
	hair   = color.RGBA{22, 18, 17, 255}
	white  = color.RGBA{245, 243, 238, 255}
	dark   = color.RGBA{28, 17, 13, 255}
)

// face is how a drawn person looks; parts per thousand of the portrait where it is a measure.
type face struct {
	skin, shirt, wall    color.RGBA
	halfWidth, eyes, gap int
	mouth, brow          int
	longHair             bool
}

func faceOf(seed uint64, female bool) face {
	r := newRand(seed, whatFace)
	return face{
		skin: one(r, skins), shirt: one(r, shirts), wall: one(r, walls),
		halfWidth: 185 + r.IntN(40), eyes: 395 + r.IntN(30), gap: 85 + r.IntN(25),
		mouth: 60 + r.IntN(35), brow: 6 + r.IntN(8), longHair: female && r.IntN(3) > 0,
	}
}

func one(r *rand.Rand, from []color.RGBA) color.RGBA { return from[r.IntN(len(from))] }

// Portrait is a drawn face as JPEG, 600 × 800 pixels, the same for the same seed. It resembles nobody.
func Portrait(seed uint64, female bool) ([]byte, error) {
	img := image.NewRGBA(image.Rect(0, 0, portraitWidth, portraitHeight))
	faceOf(seed, female).draw(img, img.Bounds())
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: 85}); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func (f face) draw(dst draw.Image, area image.Rectangle) {
	fill(dst, area, f.wall)
	left, right := 500-f.halfWidth, 500+f.halfWidth
	if f.longHair {
		ellipse(dst, in(area, left-60, 120, right+60, 800), hair)
	}
	ellipse(dst, in(area, 90, 790, 910, 1300).Intersect(area), f.shirt)
	fill(dst, in(area, 130, 900, 870, 1000), f.shirt)
	fill(dst, in(area, 405, 640, 595, 850), shade(f.skin, 85))
	ellipse(dst, in(area, 405, 800, 595, 890), shade(f.skin, 85))
	ellipse(dst, in(area, left-25, 130, right+25, 560), hair)
	ellipse(dst, in(area, left-35, 400, left+25, 510), shade(f.skin, 90)) // ears
	ellipse(dst, in(area, right-25, 400, right+35, 510), shade(f.skin, 90))
	ellipse(dst, in(area, left, 190, right, 720), f.skin)
	for _, x := range []int{500 - f.gap, 500 + f.gap} {
		ellipse(dst, in(area, x-45, f.eyes-16, x+45, f.eyes+16), white)
		ellipse(dst, in(area, x-18, f.eyes-15, x+18, f.eyes+15), dark)
		fill(dst, in(area, x-55, f.eyes-52-f.brow, x+55, f.eyes-50), hair)
	}
	ellipse(dst, in(area, 455, 470, 545, 545), shade(f.skin, 88)) // nose
	fill(dst, in(area, 478, 420, 522, 510), shade(f.skin, 94))
	ellipse(dst, in(area, 500-f.mouth, 590, 500+f.mouth, 630), shade(color.RGBA{150, 70, 70, 255}, 80))
	fill(dst, in(area, 500-f.mouth, 608, 500+f.mouth, 612), dark)
}

func shade(c color.RGBA, percent int) color.RGBA {
	part := func(v uint8) uint8 { return uint8(int(v) * percent / 100) }
	return color.RGBA{part(c.R), part(c.G), part(c.B), c.A}
}
