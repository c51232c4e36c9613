package main

import (
	"github.com/anycl/anycl/examples/internal/gallery"
)

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

// check compares some alignments with those of the plain loop.
func check(p *gallery.Program, r gallery.Result[[]hit], reads []string, genome string) {
	tried, same := min(12, len(r.Value)), 0
	for k := range tried {
		i := k * len(r.Value) / tried
		score, end := smithWaterman(codes(reads[i]), codes(genome))
		if h := r.Value[i]; h.score == score && h.end <= end && end < h.end+strip {
			same++
		}
	}
	p.Check(same == tried, "%d of %d alignments of %s are those of a plain loop over the whole matrix", same, tried, r.Where)
}
