package fallback

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
	"github.com/anycl/anycl/tensor"
)

// matmul is the task C = A·B of m x k and k x n matrices in every batch. ta
// says that A lies as k x m, tb that B lies as n x k.
func matmul(dt tensor.DType, batch, m, n, k int, ta, tb bool) *engine.Task {
	b, i, j, l := engine.AxisIndex(0), engine.AxisIndex(1), engine.AxisIndex(2), engine.AxisIndex(3)
	at := func(r, c *engine.Index, rows, cols int) *engine.Index {
		return b.Mul(int64(rows * cols)).Add(r.Mul(int64(cols))).Add(c)
	}
	a, w := at(i, l, m, k), at(l, j, k, n)
	if ta {
		a = at(l, i, k, m)
	}
	if tb {
		w = at(j, l, n, k)
	}
	return &engine.Task{
		Kind: engine.Contract, Name: "matmul",
		Axes: engine.Domain{batch, m, n, k}, Groups: []int{1, 1, 1, 1},
		Ins:  []engine.Operand{{DType: dt, Len: int64(batch * m * k)}, {DType: dt, Len: int64(batch * k * n)}},
		Outs: []engine.Operand{{DType: dt, Len: int64(batch * m * n)}},
		A:    engine.Load(0, dt, a, nil), B: engine.Load(1, dt, w, nil),
		Acc: engine.AccType(dt), Values: []*engine.Expr{epilogueOf(dt)},
	}
}

// epilogueOf stores the accumulator as dt.
func epilogueOf(dt tensor.DType) *engine.Expr {
	if acc := engine.AccType(dt); acc != dt {
		return engine.Apply(fnCast, dt, engine.Acc(0, acc))
	}
	return engine.Acc(0, dt)
}

// bytesOf is n values f(i) of dt in memory.
func bytesOf(dt tensor.DType, n int64, f func(i int64) float64) []byte {
	mem := tensor.AlignedBytes(int(n) * dt.Size())
	for i := range n {
		x := f(i)
		encode(dt, mem, i, value{x, int64(x)})
	}
	return mem
}

func TestProductsOfEveryLayoutAgree(t *testing.T) {
	t.Parallel()
	sizes := [][4]int{ // batch, m, n, k
		{1, 1, 1, 1}, {2, 3, 4, 5}, {1, 1, 37, 29}, {3, 41, 1, 23}, {1, 1, 5, 0}, {2, 0, 3, 4},
		{1, 130, 197, 67}, {1, 70, 9, 1100}, {1, 2, 3, 9000}, {5, 17, 33, 65}, {1, 1, 400, 1500}, {0, 2, 2, 2},
	}
	e := New(&Options{Workers: 3})
	t.Cleanup(func() { e.Close() })
	small := smallLimits(2)
	t.Cleanup(func() { small.Close() })
	for _, dt := range []tensor.DType{tensor.Float32, tensor.Float64, tensor.Float16, tensor.Int8, tensor.Int64, tensor.Uint64,
		tensor.Uint16} {
		t.Run(dt.String(), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(5, uint64(dt)))
			for _, s := range sizes {
				for layout := range 4 {
					task := matmul(dt, s[0], s[1], s[2], s[3], layout&1 != 0, layout&2 != 0)
					ins := make([][]byte, 2)
					for i, in := range task.Ins {
						ins[i] = bytesOf(dt, in.Len, func(int64) float64 { return float64(r.IntN(3)) })
					}
					want := naiveProduct(task, s, layout&1 != 0, layout&2 != 0, ins)
					require.Equal(t, want, runTask(t, e, task, 0, ins...), "%v layout %d", s, layout)
					if s[0]*s[1]*s[2]*s[3] < 5000 {
						require.Equal(t, want, runTask(t, small, task, 0, ins...), "%v layout %d, small limits", s, layout)
					}
				}
			}
		})
	}
}

// naiveProduct multiplies small integers, which every dtype holds exactly.
func naiveProduct(task *engine.Task, s [4]int, ta, tb bool, ins [][]byte) []byte {
	dt := task.Outs[0].DType
	out := tensor.AlignedBytes(int(task.Outs[0].Bytes()))
	m, n, k := s[1], s[2], s[3]
	at := func(in []byte, b, r, c, rows, cols int, t bool) value {
		if t {
			return decode(dt, in, int64((b*cols+c)*rows+r))
		}
		return decode(dt, in, int64((b*rows+r)*cols+c))
	}
	for b := range s[0] {
		for i := range m {
			for j := range n {
				var sum value
				for l := range k {
					x, y := at(ins[0], b, i, l, m, k, ta), at(ins[1], b, l, j, k, n, tb)
					sum = value{sum.f + x.f*y.f, sum.i + x.i*y.i}
				}
				encode(dt, out, int64((b*m+i)*n+j), sum)
			}
		}
	}
	return out
}

func TestProductsKeepNaNAndInfinityBesideZeros(t *testing.T) {
	t.Parallel()
	e := New(nil)
	t.Cleanup(func() { e.Close() })
	for _, dt := range []tensor.DType{tensor.Float32, tensor.Float64, tensor.Float16} {
		for _, bad := range []float64{math.NaN(), math.Inf(1)} {
			for _, s := range [][3]int{{4, 5, 6}, {1, 7, 9}, {8, 1, 5}, {1, 300, 40}} {
				for layout := range 4 {
					task := matmul(dt, 1, s[0], s[1], s[2], layout&1 != 0, layout&2 != 0)
					for side := range 2 { // zeros in one operand, the bad value in the other
						ins := make([][]byte, 2)
						for i, in := range task.Ins {
							ins[i] = bytesOf(dt, in.Len, func(j int64) float64 {
								if i == side && j == 0 {
									return bad
								}
								return 0
							})
						}
						out := runTask(t, e, task, 0, ins...)
						require.True(t, math.IsNaN(decode(dt, out, 0).f), "%v %v %v layout %d: 0 times %v", dt, s, side, layout, bad)
					}
				}
			}
		}
	}
}

func TestProductErrorStaysWithinItsBound(t *testing.T) {
	t.Parallel()
	e := New(nil)
	t.Cleanup(func() { e.Close() })
	r := rand.New(rand.NewPCG(1, 1))
	for _, k := range []int{7, 500, 20000} {
		task := matmul(tensor.Float32, 1, 3, 5, k, false, false)
		ins := make([][]byte, 2)
		for i, in := range task.Ins {
			ins[i] = bytesOf(tensor.Float32, in.Len, func(int64) float64 { return r.NormFloat64() })
		}
		out := runTask(t, e, task, 0, ins...)
		a, b := work.Typed[float32](ins[0]), work.Typed[float32](ins[1])
		for i := range 3 {
			for j := range 5 {
				var sum, size float64
				for l := range k {
					p := float64(a[i*k+l]) * float64(b[l*5+j])
					sum += p
					size += math.Abs(p)
				}
				// A plain sum would have k roundings on its longest path,
				// eight partial sums and tiles of k have fewer.
				bound := float64(k/8+20) * 0x1p-24 * size
				require.InDelta(t, sum, decode(tensor.Float32, out, int64(i*5+j)).f, bound, "k=%d", k)
			}
		}
	}
}

// conv is a 3x3 convolution of n images of h x w pixels and c channels to f,
// padded by 1: A is the windows, B the weights (f, 3, 3, c).
func conv(n, h, w, c, f int) *engine.Task {
	ax := engine.AxisIndex // n, y, x | f | ky, kx, c
	y, x := ax(1).Add(ax(4)).AddConst(-1), ax(2).Add(ax(5)).AddConst(-1)
	in := ax(0).Mul(int64(h * w * c)).Add(y.Mul(int64(w * c))).Add(x.Mul(int64(c))).Add(ax(6))
	wt := ax(3).Mul(int64(9 * c)).Add(ax(4).Mul(int64(3 * c))).Add(ax(5).Mul(int64(c))).Add(ax(6))
	pad := []engine.Cond{{X: y, Lo: 0, Hi: int64(h)}, {X: x, Lo: 0, Hi: int64(w)}}
	return &engine.Task{
		Kind: engine.Contract, Name: "conv",
		Axes: engine.Domain{n, h, w, f, 3, 3, c}, Groups: []int{0, 3, 1, 3},
		Ins:  []engine.Operand{{DType: tensor.Float32, Len: int64(n * h * w * c)}, {DType: tensor.Float32, Len: int64(9 * c * f)}},
		Outs: []engine.Operand{{DType: tensor.Float32, Len: int64(n * h * w * f)}},
		A:    engine.Load(0, tensor.Float32, in, pad), B: engine.Load(1, tensor.Float32, wt, nil),
		Acc: tensor.Float32, Values: []*engine.Expr{engine.Acc(0, tensor.Float32)},
	}
}

func TestConvolutionAgreesWithItsDefinition(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 3))
	for _, e := range []*Engine{New(&Options{Workers: 2}), smallLimits(2)} {
		defer e.Close()
		for _, s := range [][5]int{{2, 5, 7, 3, 4}, {1, 1, 1, 1, 1}, {3, 6, 6, 1, 9}, {1, 13, 17, 2, 70}} {
			t.Run(fmt.Sprint(s), func(t *testing.T) {
				task := conv(s[0], s[1], s[2], s[3], s[4])
				ins := make([][]byte, 2)
				for i, in := range task.Ins {
					ins[i] = bytesOf(tensor.Float32, in.Len, func(int64) float64 { return float64(r.IntN(5) - 2) })
				}
				requireNaive(t, e, task, ins...)
			})
		}
	}
}

func TestAThinConvolutionKeepsNaNBesideZeros(t *testing.T) {
	t.Parallel()
	e := New(nil)
	defer e.Close()
	task := conv(1, 20, 20, 1, 8)
	s := prepare(t, e, task)
	require.Contains(t, s.Describe(0).Why, "on their side")
	for _, bad := range []float64{math.NaN(), math.Inf(-1)} {
		image := bytesOf(tensor.Float32, 400, func(i int64) float64 {
			if i == 105 {
				return bad
			}
			return 1
		})
		weights := bytesOf(tensor.Float32, 72, func(i int64) float64 { return float64(i % 2) })
		requireNaive(t, e, task, image, weights)
	}
}
