package fft

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestVectorsComputeWhatPassesDo(t *testing.T) {
	t.Run("float32", vectorsAgree[float32])
	t.Run("float64", vectorsAgree[float64])
}

func vectorsAgree[T float](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	draw := func(n int) []pair[T] {
		x := make([]pair[T], n)
		for i := range x {
			x[i] = pair[T]{T(r.NormFloat64()), T(r.NormFloat64())}
		}
		return x
	}
	for _, radix := range []int{2, 3, 4, 5, 7, 11, 13, 31, 127} {
		for _, groups := range []int{1, 2, 4, 9} {
			for _, conjugate := range []bool{false, true} {
				p := newHostPass[T](radix, radix*groups, 1, conjugate)
				for _, count := range []int{1, 2, 3, 4, 7, 8, 13} {
					for _, gap := range []int{0, 3} {
						each := count + gap
						a := places{times: groups, count: count, from: each, apart: groups * each, to: radix * each, beside: each, conjugate: conjugate}
						x := draw(radix * groups * each)
						want, got := make([]pair[T], len(x)), make([]pair[T], len(x))
						p.run(&p, x, want, &a)
						p.do(x, got, &a)
						agree(t, want, got, "radix %d, %d groups of %d, %d apart, conjugate %v", radix, groups, count, each, conjugate)
					}
				}
			}
		}
	}
}

// agree is exact where the compiler fuses no multiplication with an addition, and allows for that where it does.
func agree[T float](t *testing.T, want, got []pair[T], format string, args ...any) {
	t.Helper()
	unit := 0x1p-24
	if unsafe.Sizeof(want[0].re) == 8 {
		unit = 0x1p-53
	}
	for i, v := range want {
		require.InDelta(t, v.re, got[i].re, 64*unit*math.Sqrt(127), "%s: %d", fmt.Sprintf(format, args...), i)
		require.InDelta(t, v.im, got[i].im, 64*unit*math.Sqrt(127), "%s: %d", fmt.Sprintf(format, args...), i)
	}
}

// Lanes are stored as rows whatever their number, and turned by the root that is theirs.
func TestTilesAreStoredAsRows(t *testing.T) {
	t.Run("float32", tilesAgree[float32])
	t.Run("float64", tilesAgree[float64])
}

func tilesAgree[T float](t *testing.T) {
	for _, m := range []int{1, 3, 4, 10} {
		for _, lines := range []int{1, 5, 8, 11} {
			for _, conjugate := range []bool{false, true} {
				h := newHostStep[T](&stepAttr{Batch: 1, M: m, Lines: lines, Inner: 1, Turned: true, Conjugate: conjugate})
				turns, z := make([]T, 2*(m*lines+stepPad)), make([]pair[T], m*lines)
				for i := range turns {
					turns[i] = T(i%17) / 16
				}
				for i := range z {
					z[i] = pair[T]{T(i % 13), T(i % 7)}
				}
				want, got := make([]pair[T], m*lines), make([]pair[T], m*lines)
				h.storePart(z, want, turns, 0, lines, 0, lines, 0)
				h.storeRows(z, got, turns, 0, block{lines, lines})
				agree(t, want, got, "%d numbers of %d lines, conjugate %v", m, lines, conjugate)
			}
		}
	}
}

// Halves of transforms are the same computed one number at a time and in vectors.
func TestHalvesAreTheSameInVectors(t *testing.T) {
	t.Run("float32", halvesAgree[float32])
	t.Run("float64", halvesAgree[float64])
}

func halvesAgree[T float](t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for name, f := range map[string]func(z, to []pair[T], roots []T, k, end int, sign T){"pack": packHost[T], "unpack": unpackHost[T]} {
		for _, h := range []int{1, 2, 5, 16, 37} {
			from, to := h+1, h
			if name == "unpack" {
				from, to = to, from
			}
			z, roots := make([]pair[T], from), make([]T, 2*(h+1))
			for i := range z {
				z[i] = pair[T]{T(r.NormFloat64()), T(r.NormFloat64())}
			}
			for i := range roots {
				roots[i] = T(r.NormFloat64())
			}
			for _, sign := range []T{1, -1} {
				want, got := make([]pair[T], to), make([]pair[T], to)
				f(z, got, roots, 1, h, sign)
				f(z, want, roots, 1, min(2, h), sign)
				for k := 2; k < h; k++ {
					f(z, want, roots, k, k+1, sign)
				}
				agree(t, want, got, "%s of %d, sign %v", name, h, sign)
			}
		}
	}
}
