// Package specimen makes the files of the synthetic population: pictures of identity documents, portraits, and
// biometric records in the formats of ISO/IEC 19794. Everything is drawn from a seed, the same every time, and
// nothing shows a real person or a real document.
package specimen

import (
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
)

// newRand gives the numbers behind one file. what keeps the files of one person apart.
func newRand(seed, what uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, what)) }

func fill(dst draw.Image, area image.Rectangle, c color.Color) {
	draw.Draw(dst, area, image.NewUniform(c), image.Point{}, draw.Src)
}

// ellipse fills the ellipse inscribed in area.
func ellipse(dst draw.Image, area image.Rectangle, c color.Color) {
	rx, ry := area.Dx()/2, area.Dy()/2
	if rx == 0 || ry == 0 {
		return
	}
	centre := image.Pt(area.Min.X+rx, area.Min.Y+ry)
	for y := -ry; y <= ry; y++ {
		half := 0
		for half < rx && (half+1)*(half+1)*ry*ry+y*y*rx*rx <= rx*rx*ry*ry {
			half++
		}
		fill(dst, image.Rect(centre.X-half, centre.Y+y, centre.X+half+1, centre.Y+y+1), c)
	}
}

// in gives the rectangle whose corners are parts per thousand of area.
func in(area image.Rectangle, x0, y0, x1, y1 int) image.Rectangle {
	return image.Rect(
		area.Min.X+area.Dx()*x0/1000, area.Min.Y+area.Dy()*y0/1000,
		area.Min.X+area.Dx()*x1/1000, area.Min.Y+area.Dy()*y1/1000)
}
