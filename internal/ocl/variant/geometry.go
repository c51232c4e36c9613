package variant

import "math"

// CeilDiv is a / b rounded up.
func CeilDiv(a, b int64) int64 { return (a + b - 1) / b }

// RoundUp is the least multiple of b that is not below a.
func RoundUp(a, b int64) int64 { return CeilDiv(a, b) * b }

// Grid is a range of whole groups, checked against the range of an int.
func Grid(n ...int64) (g [3]int) {
	for i, v := range n {
		g[i] = int(min(v, math.MaxInt))
	}
	return g
}
