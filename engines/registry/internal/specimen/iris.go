package specimen

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"time"
)

// Measures of an iris image record.
const (
	irisRecordHeader = 16
	irisViewHeader   = 57 // with one quality block
	irisWidth        = 640
	irisHeight       = 480
)

// Codes of ISO/IEC 19794-6.
const (
	eyeRight    = 1
	eyeLeft     = 2
	imageVGA    = 2
	formatPNG   = 14 // MONO_PNG
	upright     = 0b01_01_00_00
	unreported2 = 0xFFFF
)

// Iris is an iris image record (ISO/IEC 19794-6:2011, format IIR, version 020) with one greyscale PNG image of
// 640 × 480 pixels. eye is left or right. The iris is drawn and belongs to nobody.
func Iris(seed uint64, eye string, captured time.Time) ([]byte, error) {
	label := byte(eyeLeft)
	if eye == "right" {
		label = eyeRight
	}
	picture, centre, radius, err := irisPicture(seed, uint64(label))
	if err != nil {
		return nil, err
	}
	size := irisRecordHeader + irisViewHeader + len(picture)
	b := make([]byte, 0, size)
	b = append(b, "IIR\x00020\x00"...)
	b = binary.BigEndian.AppendUint32(b, uint32(size))
	b = binary.BigEndian.AppendUint16(b, 1) // representations
	b = append(b, 0, 1)                     // certification flag, eyes represented

	b = binary.BigEndian.AppendUint32(b, uint32(irisViewHeader+len(picture)))
	b = appendCaptureTime(b, captured)
	b = append(b, 0, 0, 0, 0, 0)            // capture technology, vendor, device: unreported
	b = append(b, 1, 80, 0, 0, 0, 0)        // one quality block: score, algorithm unreported
	b = binary.BigEndian.AppendUint16(b, 1) // number of this representation
	b = append(b, label, imageVGA, formatPNG, upright)
	b = binary.BigEndian.AppendUint16(b, irisWidth)
	b = binary.BigEndian.AppendUint16(b, irisHeight)
	b = append(b, 8)                                  // bits a pixel
	b = binary.BigEndian.AppendUint16(b, 0)           // range: unreported
	b = binary.BigEndian.AppendUint16(b, unreported2) // roll angle
	b = binary.BigEndian.AppendUint16(b, unreported2) // its uncertainty
	for _, v := range []int{centre.X, centre.X, centre.Y, centre.Y, 2 * radius, 2 * radius} {
		b = binary.BigEndian.AppendUint16(b, uint16(v)) // smallest and largest centre, diameter
	}
	b = binary.BigEndian.AppendUint32(b, uint32(len(picture)))
	return append(b, picture...), nil
}

func appendCaptureTime(b []byte, t time.Time) []byte {
	t = t.UTC()
	b = binary.BigEndian.AppendUint16(b, uint16(t.Year()))
	b = append(b, byte(t.Month()), byte(t.Day()), byte(t.Hour()), byte(t.Minute()), byte(t.Second()))
	return binary.BigEndian.AppendUint16(b, uint16(t.Nanosecond()/1_000_000))
}

// irisPicture draws eyeball, iris with rings and spokes, and pupil.
func irisPicture(seed, label uint64) (encoded []byte, centre image.Point, radius int, err error) {
	r := newRand(seed, whatIris<<8|label)
	img := image.NewGray(image.Rect(0, 0, irisWidth, irisHeight))
	fill(img, img.Bounds(), color.Gray{Y: 150})
	centre = image.Pt(irisWidth/2-15+r.IntN(30), irisHeight/2-10+r.IntN(20))
	radius = 115 + r.IntN(20)
	disc := func(radius int, y uint8) {
		at := image.Pt(radius, radius)
		ellipse(img, image.Rectangle{Min: centre.Sub(at), Max: centre.Add(at)}, color.Gray{Y: y})
	}
	ellipse(img, image.Rect(30, 90, irisWidth-30, irisHeight-90), color.Gray{Y: 215})
	for ring := radius; ring > 50; ring -= 3 + r.IntN(6) {
		disc(ring, uint8(60+r.IntN(45)))
	}
	disc(38+r.IntN(10), 12)
	ellipse(img, image.Rect(centre.X-24, centre.Y-22, centre.X-12, centre.Y-10), color.Gray{Y: 240}) // reflection
	var out bytes.Buffer
	if err = png.Encode(&out, img); err != nil {
		return nil, centre, radius, err
	}
	return out.Bytes(), centre, radius, nil
}
