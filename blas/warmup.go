package blas

import (
	"sync"

	gonum "gonum.org/v1/gonum/blas"
)

// warmups compile kernels and launch them once, on matrices of their own and beside the program's calls, so that a
// call never waits for a compiler: some drivers compile at a kernel's first launch.
type warmups[T number] struct {
	mu      sync.Mutex
	waiting []warmup
	running bool
	over    bool
}

type warmup struct {
	bucket *bucket
	shape  shape
}

// ask begins a warm-up, or puts it behind the one that runs.
func (q *warmups[T]) ask(d *device[T], b *bucket, s shape) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.over {
		return
	}
	q.waiting = append(q.waiting, warmup{b, s})
	if !q.running {
		q.running = true
		d.blas.work.Go(func() { q.run(d) })
	}
}

func (q *warmups[T]) run(d *device[T]) {
	p := &performer[T]{d: d.waiting()}
	for {
		q.mu.Lock()
		if len(q.waiting) == 0 || q.over {
			q.waiting, q.running = nil, false
			q.mu.Unlock()
			return
		}
		r := q.waiting[0]
		q.waiting = q.waiting[1:]
		q.mu.Unlock()
		p.room(r.shape.capped())
		missed := p.d.missed.Load()
		p.call(p.d, r.shape.capped())
		if p.d.missed.Load() == missed { // else the device can't, and gonum goes on
			r.bucket.family.ready.Store(true)
			r.bucket.ready.Store(true)
		}
	}
}

// end keeps warm-ups from beginning.
func (q *warmups[T]) end() {
	q.mu.Lock()
	q.over = true
	q.mu.Unlock()
}

// waiting is d for calls of warm-ups: they wait for the compiler, and nothing is learned from them.
func (d *device[T]) waiting() *device[T] {
	p := &device[T]{blas: d.blas, own: d.own, dtype: d.dtype, block: d.block, vectorBlock: d.vectorBlock, whole: d.whole, waits: true}
	p.routes.Store(d.routes.Load())
	return p
}

// capped is s with sizes that need little memory and time, for the same kernels.
func (s shape) capped() shape {
	most := 512
	if s.isVector() {
		most = 2048
	}
	s.m, s.n, s.k = min(s.m, most), min(s.n, most), min(s.k, most)
	return s
}

// performer calls routines for matrices of its own.
type performer[T number] struct {
	d       *device[T] // that waits for the compiler
	a, b, c []T
}

// room makes matrices that are large enough for s.
func (p *performer[T]) room(s shape) {
	n := max(s.m, s.n, s.k, 1)
	size := n * n
	if len(p.a) >= size {
		return
	}
	p.a, p.b, p.c = make([]T, size), make([]T, size), make([]T, size)
	for i := range p.a { // a triangle of a with ones at the diagonal multiplies and solves without overflow
		p.a[i], p.b[i] = T(i%251-125)/128/2048, T(i%127-63)/64
	}
}

// call lets an implementation do a call of shape s. Triangles have ones at their diagonal.
func (p *performer[T]) call(by reference[T], s shape) {
	a, b, c := p.a, p.b, p.c
	m, n, k := s.m, s.n, s.k
	tA, tB, ul, side := asTrans(s.tA), asTrans(s.tB), gonum.Lower, gonum.Left
	if s.ul {
		ul = gonum.Upper
	}
	if s.right {
		side = gonum.Right
	}
	order, _ := s.order()
	switch s.which {
	case routeGemm:
		lda, ldb := k, n
		if s.tA {
			lda = m
		}
		if s.tB {
			ldb = k
		}
		by.gemm(tA, tB, m, n, k, 1, a, lda, b, ldb, 0, c, n)
	case routeSymm:
		by.symm(side, ul, m, n, 1, a, order, b, n, 0, c, n)
	case routeSyrk, routeSyr2k:
		ld := k
		if s.tA {
			ld = n
		}
		if s.which == routeSyrk {
			by.syrk(ul, tA, n, k, 1, a, ld, 0, c, n)
		} else {
			by.syr2k(ul, tA, n, k, 1, a, ld, b, ld, 0, c, n)
		}
	case routeTrmm:
		by.trmm(side, ul, tA, gonum.Unit, m, n, 1, a, order, b, n)
	case routeTrsm:
		by.trsm(side, ul, tA, gonum.Unit, m, n, 1, a, order, b, n)
	case routeGemv:
		by.gemv(tA, m, n, 1, a, n, b, 1, 0, c[:max(m, n)], 1) // gonum's of float32 clears all of y
	case routeGer:
		by.ger(m, n, 1, a, 1, a, 1, c, n)
	case routeSymv:
		by.symv(ul, n, 1, a, n, b, 1, 0, c, 1)
	case routeTrmv:
		by.trmv(ul, tA, gonum.Unit, n, a, n, b, 1)
	case routeTrsv:
		by.trsv(ul, tA, gonum.Unit, n, a, n, b, 1)
	}
}
