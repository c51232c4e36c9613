package fft

import (
	"sync"
	"unsafe"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/tensor"
)

type float interface{ float32 | float64 }

// pair is a complex number as it lies in memory.
type pair[T float] struct{ re, im T }

func pairsOf[T float](t *tensor.Tensor) []pair[T] {
	x := tensor.MustSlice[T](t)
	return unsafe.Slice((*pair[T])(unsafe.Pointer(unsafe.SliceData(x))), len(x)/2)
}

// hostStep is step.cl in Go.
type hostStep[T float] struct {
	*stepAttr
	passes  []hostPass[T]
	wide    int // lanes of a block: lines that lie side by side, or rows
	buffers sync.Pool
}

const (
	hostNumbers = 1024 // of a buffer, about: two buffers are in the nearest cache
	hostLanes   = 8    // at least, about a cache line of them
	hostTile    = 8    // numbers of a row that are stored before those of the next row
)

func newHostStep[T float](s *stepAttr) *hostStep[T] {
	h := &hostStep[T]{stepAttr: s, wide: min(max(hostNumbers/s.M, hostLanes)&^(hostLanes-1), 4*hostLanes)}
	n, side := s.M, 1
	for _, radix := range hostRadices(s.M) {
		h.passes = append(h.passes, newHostPass[T](radix, n, side, s.Conjugate))
		n, side = n/radix, side*radix
	}
	h.buffers.New = func() any {
		b := make([]pair[T], 2*s.M*h.wide)
		return &b
	}
	return h
}

// hostOf is the function that runs a step on the host. Its tables are made at the first call, as most steps run elsewhere.
func hostOf[T float](s *stepAttr) func(outs, ins []*tensor.Tensor) error {
	made := sync.OnceValue(func() *hostStep[T] { return newHostStep[T](s) })
	return func(outs, ins []*tensor.Tensor) error {
		h, x, y, turns, before := made(), pairsOf[T](ins[0]), pairsOf[T](outs[0]), tensor.MustSlice[T](ins[2]), tensor.MustSlice[T](ins[3])
		if s.From > 0 || s.To > 0 {
			h.scaled(x, y, before, turns)
			return nil
		}
		fallback.Parallel(s.blocks(h.wide), func(from, to int) {
			b := h.buffers.Get().(*[]pair[T])
			defer h.buffers.Put(b)
			z0, z1 := (*b)[:s.M*h.wide], (*b)[s.M*h.wide:]
			for i := from; i < to; i++ {
				h.block(x, y, turns, i, z0, z1)
			}
		})
		return nil
	}
}

// block is how many lanes are stored, and how many are computed.
type block struct{ lanes, wide int }

// block transforms block i, in two buffers.
func (h *hostStep[T]) block(x, y []pair[T], turns []T, i int, z0, z1 []pair[T]) {
	if h.Lines == 1 {
		h.rows(x, y, i*h.wide, min(h.wide, h.Batch-i*h.wide), z0, z1)
		return
	}
	across := (h.Lines + h.wide - 1) / h.wide
	a, l := i/across, i%across*h.wide
	b, at := block{lanes: min(h.wide, h.Lines-l)}, a*h.M*h.Lines+l
	b.wide = b.lanes
	if full := (b.lanes + perVector[T]() - 1) &^ (perVector[T]() - 1); (h.M-1)*h.Lines+full <= len(x)-at {
		b.wide = full // with neighbouring numbers, whose results are not stored
	}
	if !h.Turned {
		h.lanes(x[at:], h.Lines, y[at:], h.Lines, b, z0, z1)
		return
	}
	z := h.lanes(x[at:], h.Lines, nil, 0, b, z0, z1)
	if h.Inner == 1 {
		h.storeRows(z, y[(a*h.Lines+l)*h.M:], turns, l, b)
	} else {
		h.storeTurned(z, y[a*h.M*h.Lines:], turns, l, b)
	}
}

// rows transforms rows that adjoin: one by one if the passes have turns in registers for it, else side by side.
func (h *hostStep[T]) rows(x, y []pair[T], a, lanes int, z0, z1 []pair[T]) {
	m := h.M
	x, y = x[a*m:][:lanes*m], y[a*m:][:lanes*m]
	if h.passes[0].radix == 4 && m > 4 {
		for e := range lanes {
			h.lanes(x[e*m:], 1, y[e*m:], 1, block{1, 1}, z0, z1)
		}
		return
	}
	for j := range m {
		to := z0[j*lanes:][:lanes]
		for e := range to {
			to[e] = x[e*m+j]
		}
	}
	z := h.lanes(z0, lanes, nil, 0, block{lanes, lanes}, z1, z0)
	for k := range m {
		of := z[k*lanes:][:lanes]
		for e, v := range of {
			y[e*m+k] = v
		}
	}
}

// lanes transforms lanes that lie side by side: element j of them is at stride·j of x. Element k goes to beside·k of y, or if there is no y
// to where the result says, wide apart. It begins with the first of two buffers; x may be the second.
func (h *hostStep[T]) lanes(x []pair[T], stride int, y []pair[T], beside int, b block, z0, z1 []pair[T]) []pair[T] {
	for i := range h.passes {
		p := &h.passes[i]
		rest, wide := p.n/p.radix, p.side*b.wide
		a := places{times: rest, count: wide, from: wide, apart: rest * wide, to: p.radix * wide, beside: wide, conjugate: h.Conjugate}
		if i == 0 {
			a.from, a.apart = stride, rest*stride
		}
		to := z0
		if i == len(h.passes)-1 && y != nil {
			to = y
			if beside != b.wide { // in pieces
				a.times, a.count, a.from, a.to, a.beside = p.side, b.lanes, b.wide, beside, p.side*beside
			}
		}
		p.do(x, to, &a)
		x, z0, z1 = to, z1, z0
	}
	return x
}

// turned is z times the root of unity at a place of the table.
func (h *hostStep[T]) turned(z pair[T], turns []T, at int) pair[T] {
	c, d := turns[at], turns[at+h.M*(h.Lines/h.Inner)+stepPad]
	if h.Conjugate {
		d = -d
	}
	return pair[T]{z.re*c - z.im*d, z.re*d + z.im*c}
}

// storeRows stores lanes from line l on, turned, as rows of y.
func (h *hostStep[T]) storeRows(z, y []pair[T], turns []T, l int, b block) {
	whole, numbers := h.storeTiles(z, y, turns, l, b)
	h.storePart(z, y, turns, l, b.wide, 0, whole, numbers)
	h.storePart(z, y, turns, l, b.wide, whole, b.lanes, 0)
}

// storePart stores the numbers from one on of lanes e to end; wide lanes lie side by side in z.
func (h *hostStep[T]) storePart(z, y []pair[T], turns []T, l, wide, e, end, number int) {
	m := h.M
	for k := number; k < m; k += hostTile {
		for e := e; e < end; e++ {
			to := y[e*m+k:][:min(hostTile, m-k)]
			for i := range to {
				to[i] = h.turned(z[(k+i)*wide+e], turns, (k+i)*h.Lines+l+e)
			}
		}
	}
}

// storeTurned stores lanes from line l on, turned, in y, [lines/inner, m, inner].
func (h *hostStep[T]) storeTurned(z, y []pair[T], turns []T, l int, b block) {
	others := h.Lines / h.Inner
	for e := 0; e < b.lanes; {
		at, q := (l+e)/h.Inner, (l+e)%h.Inner
		count := min(h.Inner-q, b.lanes-e) // that have the same factor
		for k := range h.M {
			to, of := y[(at*h.M+k)*h.Inner+q:][:count], z[k*b.wide+e:][:count]
			for i, v := range of {
				to[i] = h.turned(v, turns, k*others+at)
			}
		}
		e += count
	}
}
