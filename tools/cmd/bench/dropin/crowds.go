package dropin

import (
	"fmt"
	"runtime"
	"sync"

	gonum "gonum.org/v1/gonum/blas"
	own "gonum.org/v1/gonum/blas/gonum"

	"github.com/anycl/anycl/blas"
)

// crowdCalls is how many calls each goroutine of a crowd makes before they meet.
const crowdCalls = 8

// crowdsBeside measures calls of many goroutines at a time.
func crowdsBeside(r *runner, z *blas.BLAS, ref own.Implementation) {
	crowdOf(r, "float32", single(z), single(ref))
	crowdOf(r, "float64", double(z), double(ref))
}

func crowdOf[T number](r *runner, dtype string, ours, theirs *routines[T]) {
	calls := []struct {
		name string
		f    func(z *routines[T], n int, x, b, c []T)
	}{
		{"gemm", func(z *routines[T], n int, a, b, c []T) {
			z.gemm(gonum.NoTrans, gonum.NoTrans, n, n, n, 1, a, n, b, n, 0, c, n)
		}},
		{"gemm-tn", func(z *routines[T], n int, a, b, c []T) {
			z.gemm(gonum.Trans, gonum.NoTrans, n, n, n, 1, a, n, b, n, 0, c, n)
		}},
		{"syrk", func(z *routines[T], n int, a, _, c []T) { z.syrk(gonum.Lower, gonum.NoTrans, n, n, 1, a, n, 0, c, n) }},
		{"trsm", func(z *routines[T], n int, a, _, c []T) {
			z.trsm(gonum.Left, gonum.Lower, gonum.NoTrans, gonum.Unit, n, n, 1, a, n, c, n)
		}},
		{"gemv", func(z *routines[T], n int, a, b, c []T) { z.gemv(gonum.NoTrans, n, n, 1, a, n, b, 1, 0, c[:n], 1) }},
		{"ger", func(z *routines[T], n int, a, b, c []T) { z.ger(n, n, 1e-6, a, 1, b, 1, c, n) }},
		{"symv", func(z *routines[T], n int, a, b, c []T) { z.symv(gonum.Lower, n, 1, a, n, b, 1, 0, c, 1) }},
	}
	for _, people := range []int{runtime.GOMAXPROCS(0), 8, 64} {
		for _, call := range calls {
			for _, n := range []int{16, 32, 40, 48, 64, 96, 128, 256, 512} {
				name := fmt.Sprintf("crowd/%s/%s/%d goroutines/%d", dtype, call.name, people, n)
				if !r.wants(name) || people*n > 64*256 {
					continue
				}
				matrices := make([][3][]T, people)
				for i := range matrices {
					x := newMatrices[T](n, uint64(i))
					matrices[i] = [3][]T{x.a, x.t, x.c}
				}
				all := func(z *routines[T]) func() {
					return func() {
						var wg sync.WaitGroup
						for i := range matrices {
							wg.Go(func() {
								m := &matrices[i]
								for range crowdCalls {
									call.f(z, n, m[1], m[0], m[2])
								}
							})
						}
						wg.Wait()
					}
				}
				r.measure(work{name: name, ours: all(ours), own: all(theirs)})
			}
		}
	}
}
