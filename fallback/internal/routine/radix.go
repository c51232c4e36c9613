package routine

import (
	"cmp"
	"context"
	"slices"

	"github.com/anycl/anycl/fallback/internal/work"
)

// keyed is a key of at most 32 bits above a position of 32 bits: different
// elements are never equal, and their order is stable.
type keyed = uint64

// item is a key of 64 bits and a position.
type item struct {
	key uint64
	pos uint32
}

// Fewest is the length from which passes over digits are faster than comparing.
const Fewest = 200

// counts says of each digit of eight bits how many values have it; then, where
// the next of them goes.
type counts [256]uint32

// starts turns counts into places. It reports false where one digit has all n
// values: then there is nothing to move.
func (c *counts) starts(n int) bool {
	at := uint32(0)
	for d, k := range c {
		if int(k) == n {
			return false
		}
		c[d] = at
		at += k
	}
	return true
}

// digits is how elements are sorted: from the least significant digit of their
// keys on, elements with equal digits staying in order. Source: Knuth, The Art
// of Computer Programming 3 (1998), section 5.2.5.
type digits[E any] struct {
	n     int // digits of a key
	count func(xs []E, d int, c *counts)
	move  func(dst, xs []E, d int, c *counts)
	// few sorts a short slice by comparing.
	few func(xs []E)
}

var keyedDigits = digits[keyed]{
	n: 4,
	count: func(xs []keyed, d int, c *counts) {
		shift := (32 + 8*d) & 63
		for _, x := range xs {
			c[byte(x>>shift)]++
		}
	},
	move: func(dst, xs []keyed, d int, c *counts) {
		shift := (32 + 8*d) & 63
		for _, x := range xs {
			k := byte(x >> shift)
			dst[c[k]] = x
			c[k]++
		}
	},
	few: slices.Sort[[]keyed],
}

var itemDigits = digits[item]{
	n: 8,
	count: func(xs []item, d int, c *counts) {
		shift := (8 * d) & 63
		for _, x := range xs {
			c[byte(x.key>>shift)]++
		}
	},
	move: func(dst, xs []item, d int, c *counts) {
		shift := (8 * d) & 63
		for _, x := range xs {
			k := byte(x.key >> shift)
			dst[c[k]] = x
			c[k]++
		}
	},
	few: func(xs []item) {
		slices.SortFunc(xs, func(a, b item) int {
			if c := cmp.Compare(a.key, b.key); c != 0 {
				return c
			}
			return cmp.Compare(a.pos, b.pos)
		})
	},
}

// sort sorts xs and returns it, or tmp, which is as long: where the result is.
// c is memory to count in.
func (g *digits[E]) sort(xs, tmp []E, c *counts) []E {
	if len(xs) < Fewest {
		g.few(xs)
		return xs
	}
	for d := range g.n {
		*c = counts{}
		g.count(xs, d, c)
		if c.starts(len(xs)) {
			g.move(tmp, xs, d, c)
			xs, tmp = tmp, xs
		}
	}
	return xs
}

// sharedSort is sort by several workers, each with a stretch of xs. The result
// is the same whatever their number.
type sharedSort[E any] struct {
	digits[E]
	xs, tmp  []E
	d        int
	parts    []counts // of each stretch
	doCount  work.Job
	doMove   work.Job
	stretchN int
}

func newSharedSort[E any](g digits[E], workers int) *sharedSort[E] {
	s := &sharedSort[E]{digits: g, parts: make([]counts, workers)}
	s.doCount = func(_ int, i int64) {
		s.parts[i] = counts{}
		s.count(s.stretch(i), s.d, &s.parts[i])
	}
	s.doMove = func(_ int, i int64) { s.move(s.tmp, s.stretch(i), s.d, &s.parts[i]) }
	return s
}

func (s *sharedSort[E]) stretch(i int64) []E {
	from := min(int(i)*s.stretchN, len(s.xs))
	return s.xs[from:min(from+s.stretchN, len(s.xs))]
}

// starts gives every stretch its places: those of smaller digits come first,
// then those of earlier stretches.
func (s *sharedSort[E]) starts() bool {
	at := uint32(0)
	for d := range 256 {
		before := at
		for p := range s.parts {
			k := s.parts[p][d]
			s.parts[p][d] = at
			at += k
		}
		if int(at-before) == len(s.xs) {
			return false
		}
	}
	return true
}

// Run sorts xs and returns it, or tmp, which is as long.
func (s *sharedSort[E]) Run(ctx context.Context, p *work.Pool, xs, tmp []E) ([]E, error) {
	s.xs, s.tmp = xs, tmp
	n := int64(len(s.parts))
	s.stretchN = (len(xs) + len(s.parts) - 1) / len(s.parts)
	for s.d = range s.n {
		if err := p.Run(ctx, n, true, s.doCount); err != nil {
			return nil, err
		}
		if !s.starts() {
			continue
		}
		if err := p.Run(ctx, n, true, s.doMove); err != nil {
			return nil, err
		}
		s.xs, s.tmp = s.tmp, s.xs
	}
	return s.xs, nil
}
