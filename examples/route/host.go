package main

import (
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/tensor"
)

// spread is the kernel in Go: the goals of a vector after each other, cells of active tiles improved forth and back.
func (m *terrain) spread(outs, ins []*tensor.Tensor, n, vector int) error {
	d, waiting, limit := tensor.MustSlice[int32](ins[0]), tensor.MustSlice[int32](ins[1]), int32(ins[2].Float64At(0))
	e, now := tensor.MustSlice[int32](outs[0]), tensor.MustSlice[int32](outs[1])
	copy(e, d)
	blocks, row := n/vector, m.side/tile
	fallback.Parallel(blocks, func(from, to int) {
		for b := from; b < to; b++ {
			for t := range row * row {
				low := int32(far)
				if m.wave(waiting, t, b, blocks) < limit {
					low = m.improve(e, t, b*vector, (b+1)*vector, n)
				}
				if own := waiting[t*blocks+b]; own >= limit {
					low = min(low, own)
				}
				now[t*blocks+b] = low
			}
		}
	})
	return nil
}

// wave is the least length that tile t or one around it waits with.
func (m *terrain) wave(waiting []int32, t, block, blocks int) int32 {
	row, least := m.side/tile, int32(far)
	for y := max(t/row-1, 0); y <= min(t/row+1, row-1); y++ {
		for x := max(t%row-1, 0); x <= min(t%row+1, row-1); x++ {
			least = min(least, waiting[(y*row+x)*blocks+block])
		}
	}
	return least
}

// improve makes ways over the cells of a tile as short as the cells around it allow, and returns the least length of those that
// became shorter. A tile may see the result of one before it in the same round: the lengths at the end are the same.
func (m *terrain) improve(e []int32, t, from, to, n int) (low int32) {
	row, around := m.side/tile, m.around()
	first := t/row*tile*m.side + t%row*tile
	low = far
	for q := from; q < to; q++ {
		for moved := true; moved; {
			moved = false
			for k := range 2 * tile * tile {
				i := min(k, 2*tile*tile-1-k) // forth and back
				cell := first + i/tile*m.side + i%tile
				here := m.cost[cell]
				if here == 0 {
					continue
				}
				best := e[cell*n+q]
				for _, a := range around {
					best = min(best, e[(cell+a[0])*n+q]+int32(a[1])*(here+m.cost[cell+a[0]]))
				}
				if best < e[cell*n+q] {
					e[cell*n+q], moved, low = best, true, min(low, best)
				}
			}
		}
	}
	return low
}

// follow writes the cells of the ways from starts: each leads to one from which the rest is as long as it must be.
func (m *terrain) follow(outs, ins []*tensor.Tensor) error {
	d, starts := tensor.MustSlice[int32](ins[0]), tensor.MustSlice[int32](ins[1])
	ways := tensor.MustSlice[int32](outs[0])
	n := len(starts)
	for q, start := range starts {
		way := ways[q*longest : (q+1)*longest]
		for i := range way {
			way[i] = -1
		}
		cell := int(start)
		for i := 0; i < longest && d[cell*n+q] < far; i++ {
			way[i] = int32(cell)
			next := -1
			for _, a := range m.around() {
				to := cell + a[0]
				if m.cost[to] != 0 && d[to*n+q]+int32(a[1])*(m.cost[cell]+m.cost[to]) == d[cell*n+q] {
					next = to
					break
				}
			}
			if next < 0 { // the goal
				break
			}
			cell = next
		}
	}
	return nil
}
