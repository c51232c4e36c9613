package dropin

import (
	"fmt"
	"strconv"
	"strings"

	gonum "gonum.org/v1/gonum/blas"
)

// most is the largest order.
const most = 2048

// ld is the length of rows of the matrix that a part of n columns is taken from.
func ld(n int) int { return n + 40 }

// shape is that of a call: of matrix products m x k by k x n; of others what they have of it.
type shape struct{ m, n, k int }

// call makes the call of one routine for a shape; level 2 has k = 1.
type call[T number] struct {
	name  string
	level int
	f     func(z *routines[T], x *memory[T], s shape) func()
}

// callsOf are the calls of every routine: transposes, sides, triangles, parts of larger matrices
// and increments. The order of a triangle is m.
func callsOf[T number]() []call[T] {
	const no, yes = gonum.NoTrans, gonum.Trans
	const left, right, upper, lower = gonum.Left, gonum.Right, gonum.Upper, gonum.Lower
	gemm := func(name string, tA, tB gonum.Transpose) call[T] {
		return call[T]{name, 3, func(z *routines[T], x *memory[T], s shape) func() {
			lda, ldb := s.k, s.n
			if tA != no {
				lda = s.m
			}
			if tB != no {
				ldb = s.k
			}
			return func() { z.gemm(tA, tB, s.m, s.n, s.k, 1, x.a, lda, x.b, ldb, 0, x.c, s.n) }
		}}
	}
	symm := func(name string, side gonum.Side, ul gonum.Uplo) call[T] {
		return call[T]{name, 3, func(z *routines[T], x *memory[T], s shape) func() {
			m, n := s.m, s.n
			if side == right {
				m, n = n, m
			}
			return func() { z.symm(side, ul, m, n, 1, x.a, s.m, x.b, n, 0, x.c, n) }
		}}
	}
	syrk := func(name string, ul gonum.Uplo, t gonum.Transpose) call[T] {
		return call[T]{name, 3, func(z *routines[T], x *memory[T], s shape) func() {
			lda := s.k
			if t != no {
				lda = s.m
			}
			return func() { z.syrk(ul, t, s.m, s.k, 1, x.a, lda, 0, x.c, s.m) }
		}}
	}
	syr2k := func(name string, ul gonum.Uplo, t gonum.Transpose) call[T] {
		return call[T]{name, 3, func(z *routines[T], x *memory[T], s shape) func() {
			lda := s.k
			if t != no {
				lda = s.m
			}
			return func() { z.syr2k(ul, t, s.m, s.k, 1, x.a, lda, x.b, lda, 0, x.c, s.m) }
		}}
	}
	triangle := func(name string, solve bool, side gonum.Side, ul gonum.Uplo, t gonum.Transpose) call[T] {
		return call[T]{name, 3, func(z *routines[T], x *memory[T], s shape) func() {
			m, n := s.m, s.n
			if side == right {
				m, n = n, m
			}
			f := z.trmm
			if solve {
				f = z.trsm
			}
			return func() { f(side, ul, t, gonum.NonUnit, m, n, 1, x.t, s.m, x.c, n) }
		}}
	}
	gemv := func(name string, t gonum.Transpose, inc int) call[T] {
		return call[T]{name, 2, func(z *routines[T], x *memory[T], s shape) func() {
			y := s.m
			if t != no {
				y = s.n
			}
			return func() { z.gemv(t, s.m, s.n, 1, x.a, s.n, x.b, inc, 0, x.c[:(y-1)*inc+1], inc) } // gonum's of float32 clears all of y
		}}
	}
	ger := func(name string, inc int) call[T] {
		return call[T]{name, 2, func(z *routines[T], x *memory[T], s shape) func() {
			return func() { z.ger(s.m, s.n, 1e-6, x.a, inc, x.b, inc, x.c, s.n) }
		}}
	}
	symv := func(name string, ul gonum.Uplo) call[T] {
		return call[T]{name, 2, func(z *routines[T], x *memory[T], s shape) func() {
			return func() { z.symv(ul, s.m, 1, x.a, s.m, x.b, 1, 0, x.c, 1) }
		}}
	}
	trv := func(name string, solve bool, ul gonum.Uplo, t gonum.Transpose, inc int) call[T] {
		return call[T]{name, 2, func(z *routines[T], x *memory[T], s shape) func() {
			f := z.trmv
			if solve {
				f = z.trsv
			}
			return func() { f(ul, t, gonum.NonUnit, s.m, x.t, s.m, x.c, inc) }
		}}
	}
	return []call[T]{
		gemm("gemm-nn", no, no), gemm("gemm-nt", no, yes), gemm("gemm-tn", yes, no), gemm("gemm-tt", yes, yes),
		{"gemm-part", 3, func(z *routines[T], x *memory[T], s shape) func() { // as factorisations update the remaining part
			return func() { z.gemm(no, no, s.m, s.n, s.k, -1e-6, x.a, ld(s.k), x.b, ld(s.n), 1, x.c, ld(s.n)) }
		}},
		symm("symm-l", left, lower), symm("symm-r", right, upper),
		syrk("syrk-n", lower, no), syrk("syrk-t", upper, yes),
		syr2k("syr2k-n", upper, no), syr2k("syr2k-t", lower, yes),
		triangle("trmm-lln", false, left, lower, no), triangle("trmm-lut", false, left, upper, yes),
		triangle("trmm-run", false, right, upper, no), triangle("trmm-rlt", false, right, lower, yes),
		triangle("trsm-lln", true, left, lower, no), triangle("trsm-lut", true, left, upper, yes),
		triangle("trsm-run", true, right, upper, no), triangle("trsm-rlt", true, right, lower, yes),
		gemv("gemv-n", no, 1), gemv("gemv-t", yes, 1), gemv("gemv-n-apart", no, 2), gemv("gemv-t-apart", yes, 2),
		ger("ger", 1), ger("ger-apart", 2),
		symv("symv-u", upper), symv("symv-l", lower),
		trv("trmv-ln", false, lower, no, 1), trv("trmv-ut", false, upper, yes, 1), trv("trmv-un-apart", false, upper, no, 2),
		trv("trsv-ln", true, lower, no, 1), trv("trsv-ut", true, upper, yes, 1), trv("trsv-un-apart", true, upper, no, 2),
	}
}

// squares are the orders of square calls, with odd ones around each change of the way that a call
// goes.
var squares = []int{
	4, 5, 7, 8, 12, 15, 16, 17, 20, 23, 24, 25, 28, 31, 32, 33, 36, 40, 44, 47, 48, 49, 56, 63, 64, 65, 72, 80, 95, 96, 97, 112, 127, 128, 129,
	160, 192, 255, 256, 257, 320, 384, 511, 512, 513, 640, 768, 1000, 1023, 1024, 1025, 1536, 2047, 2048,
}

// products are shapes of Gemm that are tall, wide or thin.
var products = []shape{
	{1, 256, 256}, {256, 1, 256}, {256, 256, 1}, {1, 1000, 1000}, {1000, 1, 1000}, {1000, 1000, 1},
	{4, 64, 64}, {64, 4, 64}, {64, 64, 4}, {4, 512, 512}, {512, 4, 512}, {512, 512, 4}, {8, 1024, 1024}, {1024, 8, 1024}, {1024, 1024, 8},
	{16, 100, 100}, {100, 16, 100}, {100, 100, 16}, {16, 1000, 1000}, {1000, 16, 1000}, {1000, 1000, 16},
	{24, 48, 96}, {96, 24, 48}, {48, 96, 24}, {32, 300, 32}, {300, 32, 32}, {32, 32, 300},
	{64, 2000, 10}, {2000, 64, 10}, {10, 2000, 64}, {2000, 10, 64}, {10, 64, 2000}, {64, 10, 2000},
	{3, 3, 100_000}, {10, 10, 10_000}, {10_000, 3, 3}, {10_000, 10, 10}, {3, 10_000, 3}, {10, 10_000, 10}, {64, 64, 10_000}, {10_000, 64, 64},
	{64, 10_000, 64},
}

// triangles are shapes where m is the order of a triangle or of a symmetric matrix and n is the other size.
var triangles = [][2]int{
	{4, 1000}, {8, 10_000}, {16, 4000}, {24, 1000}, {32, 1000}, {48, 4000}, {100, 1000}, {23, 100}, {25, 30}, {32, 24}, {64, 32},
	{64, 1}, {64, 4}, {100, 16}, {100, 24}, {256, 1}, {256, 4}, {256, 16}, {300, 24}, {300, 64}, {1024, 1}, {1024, 4}, {1024, 16}, {1024, 64},
	{2000, 24},
}

// vectors are shapes of level 2.
var vectors = []shape{
	{4, 1000, 1}, {1000, 4, 1}, {32, 32_000, 1}, {32_000, 32, 1}, {64, 1000, 1}, {1000, 64, 1}, {64, 50_000, 1}, {50_000, 64, 1},
	{100, 300, 1}, {300, 100, 1}, {128, 4000, 1}, {4000, 128, 1}, {300, 1000, 1}, {1000, 300, 1}, {3, 100_000, 1}, {100_000, 3, 1},
}

// shapes are those of a call.
func (c *call[T]) shapes() (all []shape) {
	for _, n := range squares {
		switch {
		case c.level == 2:
			all = append(all, shape{n, n, 1})
		case n <= 1025 || n == most: // gonum takes seconds
			all = append(all, shape{n, n, n})
		}
	}
	family, _, _ := strings.Cut(c.name, "-")
	switch family {
	case "gemm":
		all = append(all, products...)
	case "gemv", "ger":
		all = append(all, vectors...)
	case "symm", "syrk", "syr2k", "trmm", "trsm":
		for _, t := range triangles {
			all = append(all, shape{t[0], t[1], t[1]})
		}
	}
	return all
}

// String is the order of a square call, else all sizes.
func (s shape) String() string {
	switch {
	case s.m == s.n && (s.k == s.n || s.k == 1):
		return strconv.Itoa(s.m)
	case s.k == 1 || s.k == s.n:
		return fmt.Sprintf("%dx%d", s.m, s.n)
	}
	return fmt.Sprintf("%dx%dx%d", s.m, s.n, s.k)
}
