package main

// smithWaterman is the recurrence of align.cl in Go, a column at a time: the best score, and the column in which it ends.
func smithWaterman(read, genome []uint8) (best, end int) {
	h, e := make([]int, len(read)), make([]int, len(read))
	for j, c := range genome {
		diagonal, f := 0, 0
		for i, r := range read {
			x := diagonal - mismatch
			if r == c {
				x = diagonal + match
			}
			x = max(x, e[i], f, 0)
			if x > best {
				best, end = x, j
			}
			diagonal, h[i] = h[i], x
			e[i], f = max(e[i]-extend, x-open), max(f-extend, x-open)
		}
	}
	return best, end
}
