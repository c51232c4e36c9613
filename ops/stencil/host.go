package stencil

import (
	"sync"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

type float interface{ float32 | float64 }

// hostStencil is tiles.cl in Go.
type hostStencil[T float] struct {
	geometry
	tiling
	border  int
	value   T
	terms   []hostTerm[T]
	origins [mostAxes]int // where in x the buffers of the first tile begin
	buffers sync.Pool     // pairs of buffers, one behind the other
}

// hostTerm is a neighbour that lies behind an element by offset, and its weight.
type hostTerm[T float] struct {
	offset int
	weight T
}

// hostOf is the function that runs a launch on the host.
func hostOf[T float](a *stepsAttr, g *geometry, t *tiling) func(outs, ins []*tensor.Tensor) error {
	border, value := a.border()
	h := &hostStencil[T]{geometry: *g, tiling: *t, border: border, value: T(value)}
	for _, s := range a.sums() {
		for _, p := range s.taps {
			w := T(s.weight)
			if p.minus {
				w = -w
			}
			h.terms = append(h.terms, hostTerm[T]{t.offset(p.away), w})
		}
	}
	for i := range h.origins {
		h.origins[i] = -g.before[i]
		if !t.whole[i] {
			h.origins[i] *= t.steps
		}
	}
	h.buffers.New = func() any {
		b := make([]T, 2*t.cells())
		return &b
	}
	groups := g.groups(t.tile)
	return func(outs, ins []*tensor.Tensor) error {
		x, y := tensor.MustSlice[T](ins[0]), tensor.MustSlice[T](outs[0])
		fallback.Parallel(groups, func(from, to int) {
			b := h.buffers.Get().(*[]T)
			for group := from; group < to; group++ {
				h.run(x, y, group, (*b)[:h.cells()], (*b)[h.cells():])
			}
			h.buffers.Put(b)
		})
		return nil
	}
}

// span is a range of indices of a buffer.
type span struct{ from, to int }

// inside is the element of an axis of extent n that stands at i, or -1 where the value outside does.
func (h *hostStencil[T]) inside(i, n int) int {
	if i >= 0 && i < n {
		return i
	}
	if h.border == 0 {
		return -1
	}
	return shapes.Beyond(borders[h.border], i, n)
}

// run computes the tile of a group.
func (h *hostStencil[T]) run(x, y []T, group int, from, to []T) {
	var tile, o [mostAxes]int
	for i := mostAxes - 1; i >= 0; i-- {
		tiles := (h.n[i] + h.tile[i] - 1) / h.tile[i]
		tile[i] = group % tiles * h.tile[i]
		o[i] = tile[i] + h.origins[i]
		group /= tiles
	}
	all := h.n[0] * h.n[1] * h.n[2]
	x, y = x[group*all:][:all], y[group*all:][:all]
	h.load(x, from, o)
	for s := 1; s <= h.steps; s++ {
		var can, inside, ring [mostAxes]span // what can be computed, of that the elements of x, and these with those outside that are read next
		for i := range can {
			can[i] = span{s * h.before[i], h.buffer[i] - s*h.after[i]}
			if h.whole[i] {
				can[i] = span{0, h.buffer[i]}
			}
			inside[i] = can[i]
			if h.mirrored || h.whole[i] {
				inside[i] = span{max(can[i].from, -o[i]), min(can[i].to, h.n[i]-o[i])}
			}
			ring[i] = span{max(can[i].from, inside[i].from-h.before[i]), min(can[i].to, inside[i].to+h.after[i])}
		}
		for i := inside[0].from; i < inside[0].to; i++ {
			for j := inside[1].from; j < inside[1].to; j++ {
				h.row(from, to, (i*h.buffer[1]+j)*h.buffer[2]+inside[2].from, inside[2].to-inside[2].from)
			}
		}
		from, to = to, from
		if s < h.steps {
			h.surround(from, o, inside, ring)
		}
	}
	count := min(h.tile[2], h.n[2]-tile[2])
	for i := range min(h.tile[0], h.n[0]-tile[0]) {
		for j := range min(h.tile[1], h.n[1]-tile[1]) {
			line := ((tile[0]+i)*h.n[1]+tile[1]+j)*h.n[2] + tile[2]
			row := ((tile[0]-o[0]+i)*h.buffer[1]+tile[1]-o[1]+j)*h.buffer[2] + tile[2] - o[2]
			copy(y[line:line+count], from[row:])
		}
	}
}

// load fills a buffer that begins at o in x.
func (h *hostStencil[T]) load(x, to []T, o [mostAxes]int) {
	width := h.buffer[2]
	begin := min(max(-o[2], 0), width)
	end := min(max(h.n[2]-o[2], begin), width)
	for i := range h.buffer[0] {
		z := h.inside(o[0]+i, h.n[0])
		for j := range h.buffer[1] {
			r := h.inside(o[1]+j, h.n[1])
			row := to[(i*h.buffer[1]+j)*width:][:width]
			if z < 0 || r < 0 {
				for k := range row {
					row[k] = h.value
				}
				continue
			}
			line := x[(z*h.n[1]+r)*h.n[2]:][:h.n[2]]
			if begin < end {
				copy(row[begin:end], line[begin+o[2]:])
			}
			for _, s := range []span{{0, begin}, {end, width}} {
				for k := s.from; k < s.to; k++ {
					row[k] = h.value
					if c := h.inside(o[2]+k, h.n[2]); c >= 0 {
						row[k] = line[c]
					}
				}
			}
		}
	}
}

// row computes n elements that follow each other from at on.
func (h *hostStencil[T]) row(from, to []T, at, n int) {
	out := to[at:][:n]
	clear(out)
	for _, t := range h.terms {
		for k, v := range from[at+t.offset:][:n] {
			out[k] += t.weight * v
		}
	}
}

// surround fills in the values outside of x around the elements inside: the ends of rows, then rows, then planes.
func (h *hostStencil[T]) surround(b []T, o [mostAxes]int, inside, ring [mostAxes]span) {
	outside := func(axis int) []span {
		return []span{{ring[axis].from, inside[axis].from}, {inside[axis].to, ring[axis].to}}
	}
	put := func(to, from, n int) {
		if h.border != 0 {
			copy(b[to:to+n], b[from:from+n])
			return
		}
		for i := range n {
			b[to+i] = h.value
		}
	}
	row := func(i, j int) int { return (i*h.buffer[1] + j) * h.buffer[2] }
	like := func(axis, i int) int { return h.inside(o[axis]+i, h.n[axis]) - o[axis] }
	width := ring[2].to - ring[2].from
	for _, s := range outside(2) {
		for k := s.from; k < s.to; k++ {
			same := like(2, k)
			for i := inside[0].from; i < inside[0].to; i++ {
				for j := inside[1].from; j < inside[1].to; j++ {
					put(row(i, j)+k, row(i, j)+same, 1)
				}
			}
		}
	}
	for _, s := range outside(1) {
		for j := s.from; j < s.to; j++ {
			same := like(1, j)
			for i := inside[0].from; i < inside[0].to; i++ {
				put(row(i, j)+ring[2].from, row(i, same)+ring[2].from, width)
			}
		}
	}
	for _, s := range outside(0) {
		for i := s.from; i < s.to; i++ {
			same := like(0, i)
			for j := ring[1].from; j < ring[1].to; j++ {
				put(row(i, j)+ring[2].from, row(same, j)+ring[2].from, width)
			}
		}
	}
}
