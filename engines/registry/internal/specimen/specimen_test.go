package specimen_test

import (
	"bytes"
	"encoding/binary"
	"image"
	_ "image/jpeg"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/engines/registry/internal/specimen"
)

var card = specimen.Card{
	Title: "Passeport", Authority: strings.Repeat("Ministere ", 30), Surname: "Tshilumba Kayembe", Given: "Bienvenu",
	Born: "1987-04-09", Sex: "M", Number: "OP1234567", Issued: "2025-02-03", Seed: 7, Hue: 1,
}

func TestACardIsADrawnPNGThatSaysWhatItIs(t *testing.T) {
	t.Parallel()
	first, err := card.PNG()
	require.NoError(t, err)
	again, err := card.PNG()
	require.NoError(t, err)
	require.Equal(t, first, again)
	img, err := png.Decode(bytes.NewReader(first))
	require.NoError(t, err)
	require.Equal(t, image.Rect(0, 0, 856, 540), img.Bounds())

	other := card
	other.Number = "OP1234568"
	changed, err := other.PNG()
	require.NoError(t, err)
	require.NotEqual(t, first, changed, "the number is on the card")
}

func TestAPortraitIsAJPEGLargeEnoughForFaceMatching(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for seed := range uint64(8) {
		for _, female := range []bool{false, true} {
			file, err := specimen.Portrait(seed, female)
			require.NoError(t, err)
			cfg, format, err := image.DecodeConfig(bytes.NewReader(file))
			require.NoError(t, err)
			require.Equal(t, "jpeg", format)
			require.GreaterOrEqual(t, cfg.Width, 480)
			require.GreaterOrEqual(t, cfg.Height, 640)
			seen[string(file)] = true
		}
	}
	require.Greater(t, len(seen), 8)
}

func TestAFingerprintHasTheHeaderOfISO19794Part2(t *testing.T) {
	t.Parallel()
	for finger, position := range map[string]byte{"right_thumb": 1, "right_index": 2, "left_thumb": 6, "left_index": 7} {
		b := specimen.Fingerprint(42, finger)
		require.Equal(t, "FMR\x00 20\x00", string(b[:8]))
		require.EqualValues(t, len(b), binary.BigEndian.Uint32(b[8:]))
		width, height := binary.BigEndian.Uint16(b[14:]), binary.BigEndian.Uint16(b[16:])
		require.EqualValues(t, 197, binary.BigEndian.Uint16(b[18:]), "pixels per centimetre")
		require.EqualValues(t, 197, binary.BigEndian.Uint16(b[20:]))
		require.EqualValues(t, 1, b[22], "views")
		require.Equal(t, position, b[24])
		minutiae := int(b[27])
		require.Len(t, b, 28+6*minutiae+2)
		for m := range minutiae {
			x, y := binary.BigEndian.Uint16(b[28+6*m:]), binary.BigEndian.Uint16(b[30+6*m:])
			require.Contains(t, []uint16{1, 2}, x>>14, "ending or bifurcation")
			require.Less(t, x&0x3FFF, width)
			require.Less(t, y, height)
		}
		require.Zero(t, binary.BigEndian.Uint16(b[len(b)-2:]), "no extended data")
		require.Equal(t, b, specimen.Fingerprint(42, finger))
		require.NotEqual(t, b, specimen.Fingerprint(43, finger))
	}
}

func TestAnIrisHasTheHeaderOfISO19794Part6(t *testing.T) {
	t.Parallel()
	captured := time.Date(2024, 5, 2, 9, 30, 7, 250_000_000, time.UTC)
	for eye, label := range map[string]byte{"right": 1, "left": 2} {
		b, err := specimen.Iris(42, eye, captured)
		require.NoError(t, err)
		require.Equal(t, "IIR\x00020\x00", string(b[:8]))
		require.EqualValues(t, len(b), binary.BigEndian.Uint32(b[8:]))
		require.EqualValues(t, 1, binary.BigEndian.Uint16(b[12:]), "representations")
		require.EqualValues(t, len(b)-16, binary.BigEndian.Uint32(b[16:]))
		require.Equal(t, []byte{2024 >> 8, 2024 & 0xFF, 5, 2, 9, 30, 7, 0, 250}, b[20:29])
		const info = 16 + 4 + 9 + 5 + 6 + 2 // record header, length, time, device, quality, number
		require.Equal(t, label, b[info])
		require.EqualValues(t, 14, b[info+2], "PNG")
		size := int(binary.BigEndian.Uint32(b[info+27:]))
		img, err := png.DecodeConfig(bytes.NewReader(b[info+31:]))
		require.NoError(t, err)
		require.Len(t, b, info+31+size)
		require.EqualValues(t, binary.BigEndian.Uint16(b[info+4:]), img.Width)
		require.EqualValues(t, binary.BigEndian.Uint16(b[info+6:]), img.Height)
	}
}
