package main

import (
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/tensor"
)

// alignHost is the kernel in Go.
func alignHost(outs, ins []*tensor.Tensor, b batch, size, overlap int) error {
	bases, genome := tensor.MustSlice[uint8](ins[0]), tensor.MustSlice[uint8](ins[2])
	scores, ends, parts := tensor.MustSlice[int32](outs[0]), tensor.MustSlice[int32](outs[1]), outs[0].Shape()[1]
	fallback.Parallel(len(scores), func(first, last int) {
		for k := first; k < last; k++ {
			g, p, l := k/b.lanes/parts, k/b.lanes%parts, k%b.lanes
			read := make([]uint8, 0, b.rows)
			for i := range b.rows {
				if base := bases[(g*b.rows+i)*b.lanes+l]; base != none {
					read = append(read, base)
				}
			}
			from := max(p*b.part-overlap, 0)
			score, end := smithWaterman(read, genome[from:min((p+1)*b.part, size)])
			scores[k], ends[k] = int32(score), int32(from+end)
		}
	})
	return nil
}
