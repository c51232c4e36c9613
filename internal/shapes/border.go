package shapes

// Beyond is the index of the element of an axis of extent n that stands at i, which may lie outside of it, by how the axis goes on there:
// "edge", "reflect", "symmetric" or "wrap", as numpy.pad has them.
func Beyond(mode string, i, n int) int {
	period := n
	switch mode {
	case "edge":
		return min(max(i, 0), n-1)
	case "reflect":
		period = max(2*n-2, 1)
	case "symmetric":
		period = 2 * n
	}
	i = (i%period + period) % period
	switch {
	case i < n:
		return i
	case mode == "reflect":
		return period - i
	}
	return period - 1 - i
}
