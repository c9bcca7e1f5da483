package registry

import "math/bits"

// populationSeed makes the synthetic population what it is; another seed would be another country.
const populationSeed = 0x434F_442D_1960_0630

// dice are pseudo-random numbers that are the same on every machine and in every release of Go (SplitMix64).
// Each citizen has dice of its own for each part of its record, so that a change to one part leaves the others
// as they were.
type dice struct{ state uint64 }

func diceFor(citizen int, part string) *dice {
	d := &dice{state: populationSeed ^ uint64(citizen)*0x9E37_79B9_7F4A_7C15}
	for i := range len(part) {
		d.state ^= uint64(part[i])
		d.next()
	}
	d.state = d.next()
	return d
}

func (d *dice) next() uint64 {
	d.state += 0x9E37_79B9_7F4A_7C15
	z := d.state
	z = (z ^ z>>30) * 0xBF58_476D_1CE4_E5B9
	z = (z ^ z>>27) * 0x94D0_49BB_1331_11EB
	return z ^ z>>31
}

// below is a number from 0 to n-1.
func (d *dice) below(n int) int {
	high, _ := bits.Mul64(d.next(), uint64(n))
	return int(high)
}

// between is a number from low to high, both included.
func (d *dice) between(low, high int) int { return low + d.below(high-low+1) }

// chance is true in percent of 100 throws.
func (d *dice) chance(percent int) bool { return d.below(100) < percent }

func pick[T any](d *dice, from []T) T { return from[d.below(len(from))] }

// scatterFrom keeps the first citizens off the round numbers at the start of each range.
const scatterFrom = 700_001_377

// scatter maps the numbers below size onto themselves, each to another, without visible order. The factor must
// have no divisor in common with size.
func scatter(n int, factor, size uint64) uint64 {
	high, low := bits.Mul64(uint64(n)+scatterFrom, factor)
	return bits.Rem64(high, low, size)
}
