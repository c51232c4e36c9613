package variant

import "math"

func CeilDiv(a, b int64) int64 { return (a + b - 1) / b }

func RoundUp(a, b int64) int64 { return CeilDiv(a, b) * b }

// Grid is a range of whole groups, checked against what an int holds.
func Grid(n ...int64) (g [3]int) {
	for i, v := range n {
		g[i] = int(min(v, math.MaxInt))
	}
	return g
}
