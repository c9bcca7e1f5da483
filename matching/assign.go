package matching

import "math"

// assignment gives each row the column it is aligned with, or -1.
type assignment [maxWords]int8

// gains are what aligning a row with a column is worth; 0 where they do not go together.
type gains [maxWords][maxWords]int32

// assign finds the alignment of greatest total gain: the Hungarian method with potentials, in
// O(rows² × columns). Taking the best pair first would not do: of {Kabongo, Kabonga} and {Kabungo,
// Kabongo} it aligns the equal words and leaves two that contradict each other.
func assign(gain *gains, rows, columns int) assignment {
	var result assignment
	for i := range result {
		result[i] = -1
	}
	turned := rows > columns
	if turned {
		rows, columns = columns, rows
	}
	cost := func(i, j int) int32 {
		if turned {
			return -gain[j][i]
		}
		return -gain[i][j]
	}
	// Rows and columns count from 1 in what follows; column 0 holds the row being placed.
	var rowPotential, columnPotential [maxWords + 1]int32
	var rowOf, way [maxWords + 1]int8
	for row := 1; row <= rows; row++ {
		var slack [maxWords + 1]int32
		var seen [maxWords + 1]bool
		for j := range slack {
			slack[j] = math.MaxInt32
		}
		rowOf[0] = int8(row)
		column := int8(0)
		for rowOf[column] != 0 {
			seen[column] = true
			i, next, delta := rowOf[column], int8(0), int32(math.MaxInt32)
			for j := 1; j <= columns; j++ {
				if seen[j] {
					continue
				}
				reduced := cost(int(i)-1, j-1) - rowPotential[i] - columnPotential[j]
				if reduced < slack[j] {
					slack[j], way[j] = reduced, column
				}
				if slack[j] < delta {
					delta, next = slack[j], int8(j)
				}
			}
			for j := 0; j <= columns; j++ {
				if seen[j] {
					rowPotential[rowOf[j]] += delta
					columnPotential[j] -= delta
				} else {
					slack[j] -= delta
				}
			}
			column = next
		}
		for column != 0 {
			rowOf[column] = rowOf[way[column]]
			column = way[column]
		}
	}
	for j := 1; j <= columns; j++ {
		i := int(rowOf[j]) - 1
		if i < 0 || cost(i, j-1) == 0 {
			continue
		}
		if turned {
			result[j-1] = int8(i)
		} else {
			result[i] = int8(j - 1)
		}
	}
	return result
}
