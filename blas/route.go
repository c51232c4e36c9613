package blas

import "math"

// route is a routine that is sent one way or the other as a whole.
type route uint8

const (
	routeSymm route = iota
	routeSyrk
	routeSyr2k
	routeTrmm
	routeTrmmRight
	routeTrsm
	routeTrsmRight
	routeGemv
	routeGemvTrans
	routeGer
	routeSymv
	routeTrmv
	routeTrsv
	routeCount

	routeGemm = routeCount // goes by the time that is predicted
)

// point is a time that was measured: of a given number of multiplications and additions.
type point struct {
	Work  float64 `json:"work"`
	Nanos float64 `json:"ns"`
}

// routes say for one type what is faster on the device. They do not change once they are in use.
type routes struct {
	// Host has the times of gonum's Gemm, by transposition of A (2) and of B (1); Device
	// has those of the device for all, where rows and columns fill its tiles.
	Host   [4][]point `json:"host"`
	Device []point    `json:"device"`
	// Bytes is what an element more of A, B or C takes the device, by form; Alone is what a multiplication
	// takes one of its cores.
	Bytes [4]float64 `json:"ns_per_element"`
	Alone float64    `json:"alone"`
	// From has for each other routine the order from which on the device is faster for square
	// matrices; infinity where it never is.
	From [routeCount]float64 `json:"-"`

	loops                        [4]loop
	tileRows, tileColumns, units float64
	all, none                    bool
	unmeasured                   bool
}

// predicts reports whether the device is predicted to be faster at s. Where nothing was measured, gonum is.
func (r *routes) predicts(s *shape) bool {
	switch {
	case r.unmeasured:
		return false
	case s.which == routeGemm:
		return r.gemm(s.tA, s.tB, s.m, s.n, s.k)
	case s.which == routeGemv:
		return r.vector(vectorRoute(s.tA), s.m, s.n)
	case s.which == routeGer:
		return r.vector(s.which, s.m, s.n)
	case s.isVector():
		return r.vector(s.which, s.n, s.n)
	}
	order, other := s.order()
	return r.triangle(s.route(), order, other)
}

// never leaves all to gonum, always sends all to the device, guess is where nothing was measured: parts of
// a call that the device does go by it, whole calls are gonum's until they have shown more.
var (
	never        = routes{none: true}
	always       = routes{all: true}
	guess        = guessed(200_000, 1)
	guessInPlace = guessed(15_000, 0.2) // no copies
)

func guessed(start, element float64) routes {
	const slow, fast = 0.05, 0.02 // ns a multiplication
	r := routes{Device: []point{{0, start}, {1e9, start + 1e9*fast}}, Bytes: [4]float64{element, element, element, element}, Alone: fast,
		tileRows: 8, tileColumns: 32, units: 1, unmeasured: true}
	for i := range r.Host {
		r.Host[i] = []point{{0, 0}, {1e9, 1e9 * slow}}
		r.loops[i] = loop{element: slow}
	}
	for i := range r.From {
		r.From[i] = math.Inf(1)
	}
	return r
}

// margin is by how much the device must be predicted to be faster: predictions err, and
// being slower is worse than being as fast.
const margin = 1.1

// gemm reports whether the device computes m x k by k x n.
func (r *routes) gemm(tA, tB bool, m, n, k int) bool {
	if r.all || r.none {
		return r.all
	}
	switch { // a vector: what the device has for those reads the matrix once
	case n == 1:
		return r.vector(vectorRoute(tA), m, k)
	case m == 1:
		return r.vector(vectorRoute(!tB), n, k)
	}
	return r.deviceTime(tA, tB, m, n, k)*margin < r.hostTime(tA, tB, m, n, k)
}

func formOf(tA, tB bool) (i int) {
	if tA {
		i = 2
	}
	if tB {
		i++
	}
	return i
}

// gonum divides products into blocks of a given number of rows and columns, which go to goroutines where there are enough.
const (
	hostBlock  = 64
	hostBlocks = 4
)

// hostTime is how long gonum takes. What was measured are squares; what counts beside the work is how long
// the innermost loop is: the sum where B is transposed and A is not, else a row of C.
func (r *routes) hostTime(tA, tB bool, m, n, k int) float64 {
	i := formOf(tA, tB)
	inner := n
	if tB && !tA {
		inner = k
	}
	work := float64(m) * float64(n) * float64(k)
	loop := &r.loops[i]
	serial := work * (loop.element + loop.start/float64(inner))
	if ((m+hostBlock-1)/hostBlock)*((n+hostBlock-1)/hostBlock) < hostBlocks {
		return serial
	}
	full := loop.element + loop.start/hostBlock
	return min(serial, at(r.Host[i], work)*(loop.element+loop.start/float64(min(inner, hostBlock)))/full)
}

// loop is the cost of an innermost loop of gonum's: to begin it, and for each element.
type loop struct{ start, element float64 }

// loopOf finds both from the times of two squares that gonum computes on one goroutine.
func loopOf(points []point) loop {
	rate := func(n float64) float64 { return at(points, n*n*n) / (n * n * n) }
	const short, long = 16, hostBlock
	l := loop{start: max(0, rate(short)-rate(long)) / (1./short - 1./long)}
	l.element = max(rate(long)-l.start/long, rate(long)/2)
	return l
}

// deviceTime is how long the device takes: for the work with what tiles waste, on as many cores as there are
// tiles, and at least for reading and writing the operands.
func (r *routes) deviceTime(tA, tB bool, m, n, k int) float64 {
	down, across := math.Ceil(float64(m)/r.tileRows), math.Ceil(float64(n)/r.tileColumns)
	padded := down * r.tileRows * across * r.tileColumns * float64(k)
	moved := float64(m)*float64(k) + float64(k)*float64(n) + float64(m)*float64(n)
	start := r.Device[0].Nanos
	t := max(at(r.Device, padded), start+moved*r.Bytes[formOf(tA, tB)])
	return max(t, start+padded*r.Alone/min(down*across, r.units))
}

// at is the time of so much work: between two that were measured, or as the last two go on.
func at(points []point, work float64) float64 {
	p := points[0]
	if work <= p.Work {
		return p.Nanos
	}
	q := points[1]
	for _, next := range points[2:] {
		if work <= q.Work {
			break
		}
		p, q = q, next
	}
	return p.Nanos + (work-p.Work)*(q.Nanos-p.Nanos)/(q.Work-p.Work)
}

// triangle reports whether a triangle of order k beside a matrix of k x other, or other x k, is worth
// being cut in halves. Halves are products, each of which goes its own way.
func (r *routes) triangle(which route, k, other int) bool {
	if r.all || r.none {
		return r.all
	}
	from := r.From[which]
	if k < 24 || other < 16 || float64(k)*float64(k)*float64(other) < from*from*from {
		return false
	}
	if which != routeSyrk && which != routeSyr2k {
		return true
	}
	// Long sums are what gonum does best, and few of them leave cores of the device idle. Both compute a
	// half, the device with whole tiles at the diagonal.
	half := (1 + 1/math.Ceil(float64(k)/r.tileColumns)) / 2
	return r.deviceTime(false, true, k, k, other)*half*margin < r.hostTime(false, true, k, k, other)/2
}

// vector is triangle for an m x n matrix and vectors.
func (r *routes) vector(which route, m, n int) bool {
	if r.all || r.none {
		return r.all
	}
	from := r.From[which]
	return m >= 64 && n >= 64 && float64(m)*float64(n) >= from*from
}
