package main

import (
	"math"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/tensor"
)

// search is the kernel in Go, for the CPU path.
func search(outs, ins []*tensor.Tensor, k, cells int) error {
	points, starts, queries := tensor.MustSlice[float32](ins[0]), tensor.MustSlice[int32](ins[1]), tensor.MustSlice[float32](ins[2])
	radius2, other := tensor.MustSlice[float32](outs[0]), tensor.MustSlice[int32](outs[1])
	fallback.Parallel(len(other), func(from, to int) {
		for q := from; q < to; q++ {
			radius2[q], other[q] = searchOne(points, starts, [3]float32(queries[3*q:]), k, cells)
		}
	})
	return nil
}

func searchOne(points []float32, starts []int32, at [3]float32, k, cells int) (radius2 float32, other int32) {
	inf := float32(math.Inf(1))
	var store [32]float32 // the k smallest squared distances, in order
	best := store[:k]
	for i := range best {
		best[i] = inf
	}
	near, wall := inf, float32(1)
	other = -1
	var cell [3]int
	for i, x := range at {
		u := (x + 1) * float32(cells) / 2
		cell[i] = min(max(int(u), 0), cells-1)
		wall = min(wall, u-float32(cell[i]), float32(cell[i]+1)-u)
	}
	for r := range cells {
		for z := max(cell[2]-r, 0); z <= min(cell[2]+r, cells-1); z++ {
			for y := max(cell[1]-r, 0); y <= min(cell[1]+r, cells-1); y++ {
				wide, step := 0, 2*r // the ends of a row
				if z == cell[2]-r || z == cell[2]+r || y == cell[1]-r || y == cell[1]+r {
					wide, step = 2*r, 2*r+1 // the whole row is new
				}
				for x := cell[0] - r; x <= cell[0]+r; x += step {
					from, to := max(x, 0), min(x+wide, cells-1)
					if from > to {
						continue
					}
					row := (z*cells + y) * cells
					for p := starts[row+from]; p < starts[row+to+1]; p++ {
						xyz := points[3*p : 3*p+3]
						dx, dy, dz := xyz[0]-at[0], xyz[1]-at[1], xyz[2]-at[2]
						d2 := dx*dx + dy*dy + dz*dz
						if d2 > 0 && d2 < near {
							near, other = d2, p
						}
						if d2 < best[k-1] {
							i := k - 1
							for ; i > 0 && best[i-1] > d2; i-- {
								best[i] = best[i-1]
							}
							best[i] = d2
						}
					}
				}
			}
		}
		if seen := max(float32(r)+wall, 0) * 2 / float32(cells); max(best[k-1], near) <= seen*seen {
			break
		}
	}
	return best[k-1], other
}
