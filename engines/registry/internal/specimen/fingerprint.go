package specimen

import "encoding/binary"

// The finger positions of ISO/IEC 19794-2, table 5.
var fingerPositions = map[string]uint64{
	"right_thumb": 1, "right_index": 2, "right_middle": 3, "right_ring": 4, "right_little": 5,
	"left_thumb": 6, "left_index": 7, "left_middle": 8, "left_ring": 9, "left_little": 10,
}

// Measures of a finger minutiae record.
const (
	fingerRecordHeader = 24
	fingerViewHeader   = 4
	minutiaSize        = 6
	extendedDataLength = 2
	fingerImageWidth   = 400
	fingerImageHeight  = 500
	fingerResolution   = 197 // pixels per centimetre: 500 dpi
)

// Fingerprint is a finger minutiae record (ISO/IEC 19794-2:2005, format FMR, version 2.0) with one view of the
// finger and no extended data. The minutiae are drawn by lot and belong to no finger.
func Fingerprint(seed uint64, finger string) []byte {
	position := fingerPositions[finger]
	r := newRand(seed, whatFingerprint<<8|position)
	minutiae := 28 + r.IntN(25)
	size := fingerRecordHeader + fingerViewHeader + minutiae*minutiaSize + extendedDataLength
	b := make([]byte, 0, size)
	b = append(b, "FMR\x00 20\x00"...)
	b = binary.BigEndian.AppendUint32(b, uint32(size))
	b = binary.BigEndian.AppendUint16(b, 0) // capture equipment: unreported
	b = binary.BigEndian.AppendUint16(b, fingerImageWidth)
	b = binary.BigEndian.AppendUint16(b, fingerImageHeight)
	b = binary.BigEndian.AppendUint16(b, fingerResolution)
	b = binary.BigEndian.AppendUint16(b, fingerResolution)
	b = append(b, 1, 0) // one view, reserved
	// The view: position; view number 0 and impression type 0 (live scan, plain); quality; how many minutiae.
	b = append(b, byte(position), 0, byte(60+r.IntN(40)), byte(minutiae))
	for range minutiae {
		kind := uint16(1 + r.IntN(2)) // ridge ending or bifurcation, in the two highest bits
		b = binary.BigEndian.AppendUint16(b, kind<<14|uint16(20+r.IntN(fingerImageWidth-40)))
		b = binary.BigEndian.AppendUint16(b, uint16(20+r.IntN(fingerImageHeight-40)))
		b = append(b, byte(r.IntN(256)), byte(50+r.IntN(50))) // angle in 360/256 degrees, quality
	}
	return binary.BigEndian.AppendUint16(b, 0)
}
