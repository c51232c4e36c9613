package reduce_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

var reduceNames = []string{"item", "group", "block", "column", "lanes"}

var folds = []engine.Monoid{engine.Sum, engine.Prod, engine.Min, engine.Max, engine.ArgMin, engine.ArgMax}

// foldsOf are the folds to try with a variant: all with the first, one of each
// kind with the others, because every program costs its compilation.
func foldsOf(name string) []engine.Monoid {
	if name == reduceNames[0] {
		return folds
	}
	return []engine.Monoid{engine.Sum, engine.ArgMax}
}

func TestEveryFoldOfEveryVariantOverOddShapes(t *testing.T) {
	ocltest.NumbersOnly(t)
	// Rows x columns: nothing to fold, no rows, one, odd, more than a vector of
	// rows, long enough to be cut.
	shapes := [][2]int{{3, 0}, {0, 3}, {1, 1}, {1, 7}, {5, 31}, {131, 3}, {70, 67}, {1, 20011}, {3, 9001}}
	for _, name := range reduceNames {
		for _, f := range foldsOf(name) {
			t.Run(fmt.Sprintf("%s/%v", name, f), func(t *testing.T) {
				t.Parallel()
				e := device(t, "reduce="+name, nil)
				r := rand.New(rand.NewPCG(3, uint64(f)))
				for i, s := range shapes {
					if s[0]*s[1] > 0 && !ocltest.OneIn(i+int(f), 2) {
						continue
					}
					dom := engine.Domain{s[0], s[1]}
					in := engine.Operand{DType: tensor.Float32, Len: dom.Size()}
					v := engine.Load(0, in.DType, sample.DenseAt(dom, 0, 1), nil)
					if f == engine.Prod {
						v = engine.Apply(sample.Add, in.DType, engine.Apply(sample.Mul, in.DType, v, sample.Constant(in.DType, 0.01)),
							sample.Constant(in.DType, 1))
					}
					task := sample.Reduce(dom, 1, f, v, in)
					p := ocltest.Verify(t, e, task, [][]byte{ocltest.RandomBytes(r, in.DType, in.Len)}, 1e-4, math.Sqrt(float64(s[1]))*0.1)
					if s[0] > 0 {
						require.Contains(t, p.Variant, name)
					}
				}
			})
		}
	}
}

func TestEveryDTypeFolds(t *testing.T) {
	ocltest.NumbersOnly(t)
	for _, dt := range tensor.DTypes() {
		t.Run(dt.String(), func(t *testing.T) {
			t.Parallel()
			f := folds[int(dt)%len(folds)]
			if f == engine.Prod && dt.IsFloat() {
				f = engine.Sum
			}
			dom := engine.Domain{37, 129}
			in := engine.Operand{DType: dt, Len: dom.Size()}
			v := engine.Load(0, dt, sample.DenseAt(dom, 0, 1), nil)
			e := device(t, "reduce="+reduceNames[int(dt)%4], nil)
			ocltest.Verify(t, e, sample.Reduce(dom, 1, f, v, in), [][]byte{ocltest.RandomBytes(rand.New(rand.NewPCG(9, 9)), dt, in.Len)}, 1e-5, 30)
		})
	}
}

func TestFoldOverTheFirstAxisAndOverStridedAddresses(t *testing.T) {
	ocltest.NumbersOnly(t)
	r := rand.New(rand.NewPCG(5, 5))
	// x[c, r] with a gap, folded over c; a row of it is 300 apart.
	in := engine.Operand{DType: tensor.Float32, Len: 300 * 500}
	for _, rows := range []int{5, 64, 257} {
		dom := engine.Domain{rows, 500}
		v := engine.Load(0, in.DType, engine.AxisIndex(1).Mul(300).Add(engine.AxisIndex(0)).AddConst(11), nil)
		task := sample.Reduce(dom, 1, engine.Sum, v, in)
		data := [][]byte{ocltest.RandomBytes(r, in.DType, in.Len)}
		for _, name := range append(reduceNames, "") {
			p := ocltest.Verify(t, device(t, "reduce="+name, nil), task, data, 1e-4, 2)
			if name == "" && device(t, "", nil).Facts().CPU {
				want := map[bool]string{false: "column", true: "stripe"}[rows >= codegen.VectorLanes]
				require.Contains(t, p.Variant, want, "neighbouring rows are neighbours in memory")
			}
		}
	}
}

func TestNaNWinsAndTheFirstOfEqualsIsChosen(t *testing.T) {
	ocltest.NumbersOnly(t)
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	rows := [][]float32{
		{1, nan, 3, nan}, {5, 5, 5, 5}, {-inf, -inf, -inf, -inf}, {inf, inf, inf, inf}, {2, 7, 7, 1}, {nan, nan, inf, -inf}, {0, -1, -1, 4},
	}
	const repeat = 50 // columns beyond one vector: equal values meet in every order
	dom := engine.Domain{len(rows), 4 * repeat}
	var data []byte
	for _, row := range rows {
		for i := range 4 * repeat {
			data = binary.NativeEndian.AppendUint32(data, math.Float32bits(row[i%4]))
		}
	}
	in := engine.Operand{DType: tensor.Float32, Len: dom.Size()}
	for _, name := range reduceNames {
		for _, f := range foldsOf(name)[1:] {
			if f == engine.Prod {
				continue // of infinities and zeros: nothing to choose
			}
			// One of them with long positions.
			e := device(t, "reduce="+name, func(d *facts.Device) { d.ForceWide = name == "block" && f == engine.ArgMax })
			ocltest.Verify(t, e, sample.Reduce(dom, 1, f, engine.Load(0, in.DType, sample.DenseAt(dom, 0, 1), nil), in), [][]byte{data}, 0, 0)
		}
	}
}

func TestEpilogueSeesTheFoldAndItsOwnInputs(t *testing.T) {
	ocltest.NumbersOnly(t)
	dom := engine.Domain{9, 4, 33}
	in := engine.Operand{DType: tensor.BFloat16, Len: dom.Size()}
	bias := engine.Operand{DType: tensor.Float32, Len: 4}
	x := engine.Load(0, in.DType, sample.DenseAt(dom, 0, 1, 2), nil)
	task := sample.Reduce(dom, 2, engine.Sum, engine.Apply(sample.Mul, tensor.Float32, x, x), in, bias)
	mean := engine.Apply(sample.Mul, tensor.Float32, engine.Acc(0, tensor.Float32), sample.Constant(tensor.Float32, 1.0/33))
	task.Values[0] = engine.Apply(sample.Add, tensor.Float32, mean, engine.Load(1, bias.DType, engine.AxisIndex(1), nil))
	task.Outs[0].DType = tensor.Float16
	task.Values[0] = engine.Apply(sample.Cast, tensor.Float16, task.Values[0])
	r := rand.New(rand.NewPCG(6, 6))
	data := [][]byte{ocltest.RandomBytes(r, in.DType, in.Len), ocltest.RandomBytes(r, bias.DType, bias.Len)}
	for _, name := range reduceNames {
		ocltest.Verify(t, device(t, "reduce="+name, nil), task, data, 1e-5, 1)
	}
}

func TestSumsRepeatExactly(t *testing.T) {
	ocltest.NumbersOnly(t)
	dom := engine.Domain{2, 50000}
	in := engine.Operand{DType: tensor.Float32, Len: dom.Size()}
	task := sample.Reduce(dom, 1, engine.Sum, engine.Load(0, in.DType, sample.DenseAt(dom, 0, 1), nil), in)
	data := [][]byte{ocltest.RandomBytes(rand.New(rand.NewPCG(8, 8)), in.DType, in.Len)}
	for _, name := range reduceNames {
		e := device(t, "reduce="+name, nil)
		first, p := ocltest.Execute(t, e, task, data, 0)
		require.Contains(t, p.Variant, "parts=", "the rows are long enough to be cut")
		for range 3 {
			again, _ := ocltest.Execute(t, e, task, data, 0)
			require.Equal(t, first, again)
		}
	}
}

func TestCutsCoverRowsExactly(t *testing.T) {
	for _, cols := range []int64{0, 1, 63, 64, 1000, 4097, 1 << 20, 1<<31 + 5} {
		for _, items := range []int64{1, 3, 100, 1 << 20} {
			p := kernels.CutRows(items, cols, 64, 256, 64)
			require.GreaterOrEqual(t, p.Count*p.Span, cols)
			require.Less(t, (p.Count-1)*p.Span, max(cols, 1), "no part is empty")
			require.LessOrEqual(t, p.Count, int64(1024))
		}
	}
}

// x[f, r, g] folded over f and g, as the statistics of channels are: runs that
// are shorter and longer than a vector, cut in the middle, too short for loops
// of their own, and none at all.
func TestFoldOverRunsOfColumns(t *testing.T) {
	ocltest.NumbersOnly(t)
	for _, s := range [][3]int{{7, 5, 49}, {9, 3, 67}, {40, 2, 1001}, {33, 6, 5}, {3, 4, 16}, {0, 4, 20}, {6, 4, 0}} {
		dom := engine.Domain{s[1], s[0], s[2]}
		in := engine.Operand{DType: tensor.Float32, Len: dom.Size()}
		run, row := int64(s[2]), int64(s[1])
		addr := engine.AxisIndex(1).Mul(row).Add(engine.AxisIndex(0)).Mul(run).Add(engine.AxisIndex(2))
		data := [][]byte{ocltest.RandomBytes(rand.New(rand.NewPCG(5, 6)), in.DType, in.Len)}
		for _, f := range []engine.Monoid{engine.Sum, engine.ArgMax} {
			task := sample.Reduce(dom, 1, f, engine.Load(0, in.DType, addr, nil), in)
			for _, name := range []string{"block", ""} {
				ocltest.Verify(t, device(t, "reduce="+name, nil), task, data, 1e-4, 2)
			}
		}
	}
}
