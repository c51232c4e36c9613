package fft

import "github.com/anycl/anycl/fallback"

// fewUnits is a number of units for which the parts of each are shared among cores.
const fewUnits = 8

// hostPart is how many numbers of a row are computed by one call, so that few long rows are shared among cores.
const hostPart = 4096

// parallel runs f for parts of n, as fallback.Parallel does.
type parallel func(n int, f func(from, to int))

func inTurn(n int, f func(from, to int)) { f(0, n) }

// scaled runs a step that multiplies the elements of rows before the transform or after it: a row at a time, or as many as a block has, so
// that intermediate values are in a cache.
func (h *hostStep[T]) scaled(x, y []pair[T], before, after []T) {
	rows := 1
	if h.Lines == 1 {
		rows = h.wide
	}
	units := (h.Batch + rows - 1) / rows
	unit := func(i int, buffer []pair[T], run parallel) {
		h.scaledRows(x, y, before, after, i*rows, min(rows, h.Batch-i*rows), buffer, run)
	}
	size := 2 * rows * h.M * h.Lines
	if units < fewUnits {
		buffer := make([]pair[T], size)
		for i := range units {
			unit(i, buffer, fallback.Parallel)
		}
		return
	}
	fallback.Parallel(units, func(from, to int) {
		buffer := make([]pair[T], size)
		for i := from; i < to; i++ {
			unit(i, buffer, inTurn)
		}
	})
}

// scaledRows is scaled for some rows from row a on, with a buffer for them and one for their results.
func (h *hostStep[T]) scaledRows(x, y []pair[T], before, after []T, a, rows int, buffer []pair[T], run parallel) {
	row := h.M * h.Lines
	from, to := h.extents()
	x, y = x[a*from:][:rows*from], y[a*to:][:rows*to]
	in, out := x, y
	if h.From > 0 {
		in = buffer[:rows*row]
		h.multiply(in, x, before, rows, row, from, run)
	}
	if h.To > 0 {
		out = buffer[len(buffer)/2:][:rows*row]
	}
	blocks := 1
	if h.Lines > 1 {
		blocks = (h.Lines + h.wide - 1) / h.wide
	}
	run(blocks, func(from, to int) {
		b := h.buffers.Get().(*[]pair[T])
		defer h.buffers.Put(b)
		z0, z1 := (*b)[:h.M*h.wide], (*b)[h.M*h.wide:]
		for i := from; i < to; i++ {
			if h.Lines == 1 {
				h.rows(in, out, 0, rows, z0, z1)
			} else {
				h.block(in, out, after, i, z0, z1)
			}
		}
	})
	if h.To > 0 {
		h.multiply(y, out, after, rows, to, row, run)
	}
}

// multiply sets rows of y, of to elements each, to the elements of rows of x, of from each, times those of the table, and elements beyond
// those of x to 0.
func (h *hostStep[T]) multiply(y, x []pair[T], table []T, rows, to, from int, run parallel) {
	parts := max(1, to/hostPart)
	run(rows*parts, func(first, end int) {
		for i := first; i < end; i++ {
			a, k, last := i/parts, to*(i%parts)/parts, to*(i%parts+1)/parts
			n := max(0, min(last, from)-k)
			into := y[a*to:][k:last]
			if n > 0 {
				z, cos, sin := x[a*from+k:][:n], table[k:][:n], table[h.M*h.Lines+stepPad+k:][:n]
				for i, v := range z {
					c, d := cos[i], sin[i]
					into[i] = pair[T]{v.re*c - v.im*d, v.re*d + v.im*c}
				}
			}
			clear(into[n:])
		}
	})
}
