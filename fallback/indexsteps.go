package fallback

import "math/bits"

// affineStep is the linear part of an index.
type affineStep struct {
	dst    int
	space  iterationSpace
	cursor int
}

func (s *affineStep) rename(to []int) { s.dst = to[s.dst] }

func (s *affineStep) run(f *frame, lo int64, n int) {
	c := &f.cursors[s.cursor]
	dst := own[int64](f, s.dst, n)
	step := s.space.inner()[0]
	for c.seek(lo); ; {
		k := min(int64(len(dst)), c.left()) // the whole run but for the first
		v := c.val[0]
		for i := range dst[:k] {
			dst[i] = v
			v += step
		}
		if dst = dst[k:]; len(dst) == 0 {
			return
		}
		c.nextRun()
	}
}

// addStep is a + coef·b.
type addStep struct {
	dst, a, b int
	coef      int64
}

func (s *addStep) rename(to []int) { s.dst, s.a, s.b = to[s.dst], to[s.a], to[s.b] }

func (s *addStep) run(f *frame, _ int64, n int) {
	a, b := f.cur[s.a].I64, f.cur[s.b].I64
	dst := own[int64](f, s.dst, n)
	for i, v := range b[:n] {
		dst[i] = a[i] + s.coef*v
	}
}

// divStep is floor(src / d), modStep src - d·floor(src / d), d > 1.
type divStep struct {
	dst, src int
	d        int64
}

func (s *divStep) rename(to []int) { s.dst, s.src = to[s.dst], to[s.src] }

func (s *divStep) run(f *frame, _ int64, n int) {
	src := f.cur[s.src].I64[:n]
	dst := own[int64](f, s.dst, n)
	if s.d&(s.d-1) == 0 {
		shift := bits.TrailingZeros64(uint64(s.d))
		for i, v := range src {
			dst[i] = v >> shift
		}
		return
	}
	for i, v := range src {
		dst[i] = floorDiv(v, s.d)
	}
}

type modStep divStep

func (s *modStep) rename(to []int) { s.dst, s.src = to[s.dst], to[s.src] }

func (s *modStep) run(f *frame, _ int64, n int) {
	src := f.cur[s.src].I64[:n]
	dst := own[int64](f, s.dst, n)
	if s.d&(s.d-1) == 0 {
		for i, v := range src {
			dst[i] = v & (s.d - 1)
		}
		return
	}
	for i, v := range src {
		dst[i] = v - floorDiv(v, s.d)*s.d
	}
}

type minStep divStep

func (s *minStep) rename(to []int) { s.dst, s.src = to[s.dst], to[s.src] }

func (s *minStep) run(f *frame, _ int64, n int) {
	dst := own[int64](f, s.dst, n)
	for i, v := range f.cur[s.src].I64[:n] {
		dst[i] = min(v, s.d)
	}
}

// floorDiv is floor(a / d) for d > 1. Most indices fit 32 bits, where the
// processor divides faster.
func floorDiv(a, d int64) int64 {
	if uint64(a)|uint64(d) < 1<<32 {
		return int64(uint32(a) / uint32(d))
	}
	q := a / d
	if q*d > a {
		q--
	}
	return q
}

// condStep is and && lo <= x < hi, or without and where and is -1.
type condStep struct {
	dst, x, and int
	lo, hi      int64
}

func (s *condStep) rename(to []int) {
	s.dst, s.x = to[s.dst], to[s.x]
	if s.and >= 0 {
		s.and = to[s.and]
	}
}

func (s *condStep) run(f *frame, _ int64, n int) {
	x := f.cur[s.x].I64[:n]
	var and []uint64
	if s.and >= 0 {
		and = f.cur[s.and].U64[:n]
	}
	dst := own[uint64](f, s.dst, n)
	if s.lo >= s.hi {
		clear(dst)
		return
	}
	span := uint64(s.hi - s.lo)
	for i, v := range x {
		ok := uint64(0)
		if uint64(v-s.lo) < span { // v < lo wraps to a huge number
			ok = 1
		}
		if and != nil {
			ok &= and[i]
		}
		dst[i] = ok
	}
}
