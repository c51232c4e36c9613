package ir

// Product is the number of elements of a shape.
func Product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// Extents returns the extents of the given axes.
func Extents(shape, axes []int) []int {
	out := []int{}
	for _, a := range axes {
		out = append(out, shape[a])
	}
	return out
}

// Range is the numbers from, from+1, ... to-1.
func Range(from, to int) []int {
	var out []int
	for i := from; i < to; i++ {
		out = append(out, i)
	}
	return out
}

// Btoi is 1 for true.
func Btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
