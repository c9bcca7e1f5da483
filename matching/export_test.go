package matching

// What the tests of the package reach besides its API.

// AssignedGain is the total gain of the assignment found, and whether no column is used twice.
func AssignedGain(table [][]int32) (total int32, valid bool) {
	var gain gains
	columns := 0
	for i, row := range table {
		copy(gain[i][:], row)
		columns = len(row)
	}
	used := map[int8]bool{}
	for i, j := range assign(&gain, len(table), columns) {
		if j < 0 {
			continue
		}
		if i >= len(table) || int(j) >= columns || used[j] {
			return 0, false
		}
		used[j] = true
		total += gain[i][j]
	}
	return total, true
}

// Within is the bounded distance behind slips.
func Within(a, b string, k int) bool { return within([]rune(a), []rune(b), k) }

// SpellingKey is the key of a folded word.
func SpellingKey(word string) string {
	dst := make([]rune, len([]rune(word)))
	return string(dst[:spellingKey(dst, []rune(word))])
}
