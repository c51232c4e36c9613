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
)

// point is a time that was measured: of so many multiplications and additions.
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
	// Bytes is what an element more of A, B or C takes the device.
	Bytes float64 `json:"ns_per_element"`
	// From has for each other routine the order from which on the device is faster for square
	// matrices; infinity where it never is.
	From [routeCount]float64 `json:"-"`

	tileRows, tileColumns float64
	all, none             bool
}

// never leaves all to gonum, always sends all to the device, guess is for the time until something is
// known: what every device does faster.
var (
	never  = routes{none: true}
	always = routes{all: true}
	guess  = guessed()
)

func guessed() routes {
	const slow, fast = 0.05, 0.02 // ns a multiplication
	r := routes{Device: []point{{0, 200_000}, {1e9, 200_000 + 1e9*fast}}, Bytes: 1, tileRows: 8, tileColumns: 32}
	for i := range r.Host {
		r.Host[i] = []point{{0, 0}, {1e9, 1e9 * slow}}
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
	fm, fn, fk := float64(m), float64(n), float64(k)
	i := 0
	if tA {
		i = 2
	}
	if tB {
		i++
	}
	host := at(r.Host[i], fm*fn*fk)
	padded := math.Ceil(fm/r.tileRows) * r.tileRows * math.Ceil(fn/r.tileColumns) * r.tileColumns * fk
	device := max(at(r.Device, padded), r.Device[0].Nanos+(fm*fk+fk*fn+fm*fn)*r.Bytes)
	return device*margin < host
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
	return k >= 24 && other >= 16 && float64(k)*float64(k)*float64(other) >= from*from*from
}

// vector is triangle for an m x n matrix and vectors.
func (r *routes) vector(which route, m, n int) bool {
	if r.all || r.none {
		return r.all
	}
	from := r.From[which]
	return m >= 64 && n >= 64 && float64(m)*float64(n) >= from*from
}
