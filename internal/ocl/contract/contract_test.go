package contract_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/contract"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/internal/taskref"
	"github.com/anycl/anycl/tensor"
)

// requireWays runs t in several ways and holds the outputs against the reference.
func requireWays(t *testing.T, task *engine.Task, e sample.Effort) {
	t.Helper()
	b := ocltest.OpenBench(t)
	ins := ocltest.RandomInputs(task, 1)
	want, err := taskref.Eval(task, ins)
	require.NoError(t, err)
	for i, w := range sample.Ways(task, e) {
		if e < sample.EveryOption && !ocltest.OneIn(i+int(task.Acc)+task.Axes[1], 2) { // another task takes the others
			continue
		}
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			p, err := w.Plan(task)
			require.NoError(t, err)
			r := b.Prepare(t, task, p, ins)
			r.Run(t)
			ocltest.RequireClose(t, task.Outs[0].DType, task.Size(3), want[0], r.Read(t))
		})
	}
}

func TestEveryWayOfMultiplyingAgreesWithTheReference(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	for _, s := range [][4]int{{1, 1, 1, 1}, {1, 67, 71, 53}, {2, 9, 130, 5}, {3, 1, 33, 200}, {1, 130, 1, 129}, {1, 16, 64, 32},
		{1, 3, 5, 1500}} {
		for i := range 4 {
			if i != 0 && s[1] != 67 && s[0] != 2 {
				continue
			}
			ta, tb, e := i&1 != 0, i&2 != 0, sample.ChosenWays
			if s[1] == 67 && ta && tb {
				e = sample.EveryOption
			}
			t.Run(fmt.Sprintf("%v %v %v", s, ta, tb), func(t *testing.T) {
				t.Parallel()
				requireWays(t, sample.Matmul(tensor.Float32, s[0], s[1], s[2], s[3], ta, tb), e)
			})
		}
	}
}

func TestEveryDTypeMultiplies(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	for _, dt := range tensor.DTypes() {
		t.Run(dt.String(), func(t *testing.T) {
			t.Parallel()
			e := sample.ChosenWays
			if dt == tensor.Float16 {
				e = sample.EachKernel
			}
			requireWays(t, sample.Matmul(dt, 2, 19, 37, 41, false, false), e)
		})
	}
}

func TestStridesOffsetsAndBroadcastBatchesAreAddresses(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	dims := []int{3, 2, 10, 37, 21}
	g := [4]int{2, 1, 1, 1}
	// A: every second row and third column of a larger matrix, the first batch
	// axis broadcast; B: columns backwards, the second batch axis broadcast.
	a := sample.View{DType: tensor.Float32, Offset: 5, Strides: []int64{0, 4000, 140, 0, 3}, Len: 8000}
	b := sample.View{DType: tensor.Float32, Offset: 36, Strides: []int64{21 * 37, 0, 0, -1, 37}, Len: 3 * 21 * 37}
	t.Run("both", func(t *testing.T) { requireWays(t, sample.Product(g, dims, a, b, tensor.Float32), sample.EachKernel) })
	b.Strides[0] = 0
	t.Run("one b", func(t *testing.T) { requireWays(t, sample.Product(g, dims, a, b, tensor.Float32), sample.ChosenWays) })
	a.Strides[1] = 0
	b.Strides[0] = 21 * 37
	t.Run("one a", func(t *testing.T) { requireWays(t, sample.Product(g, dims, a, b, tensor.Float32), sample.ChosenWays) })
}

func TestConvolutionsAreProductsOfWindows(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	for name, task := range map[string]*engine.Task{
		"plain":     sample.Convolution(2, 1, 3, 9, 11, 33, 3, 1, 1),
		"strided":   sample.Convolution(1, 1, 5, 13, 12, 16, 3, 2, 1),
		"dilated":   sample.Convolution(1, 1, 2, 12, 14, 40, 3, 1, 2),
		"grouped":   sample.Convolution(2, 3, 4, 8, 8, 5, 3, 1, 1),
		"depthwise": sample.Convolution(1, 7, 1, 9, 9, 1, 3, 1, 1),
		"one by 1":  sample.Convolution(2, 1, 40, 5, 7, 34, 1, 1, 1),
		"one in":    sample.Convolution(3, 1, 1, 10, 10, 32, 5, 1, 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := sample.ChosenWays
			if name == "dilated" {
				e = sample.EachKernel
			}
			requireWays(t, task, e)
		})
	}
}

func TestWeightGradientsSplitTheirSum(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	requireWays(t, sample.WeightGradient(5, 2, 9, 33), sample.EachKernel)
	c := contract.Separate(ocltest.CPU(16), access.Collapse(sample.WeightGradient(128, 1, 28, 32)), false)
	require.Greater(t, c.ChoosePanel().Splits, int64(1), "2 tiles must not be the work of one core each")
}

func TestRunsOfColumnsAreReadWhereTheyLie(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	for c, packs := range map[int]bool{5: true, 16: false, 18: false, 37: false} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			task := sample.ChannelGradient(3, c, 7, 9)
			p, err := variant.MakePlan(ocltest.CPU(16), nil, task, "contract=panel")
			require.NoError(t, err)
			require.Equal(t, packs, strings.Contains(p.Params, "pack b"), p.Params)
			e := sample.ChosenWays
			if c == 18 {
				e = sample.EachKernel
			}
			requireWays(t, task, e)
		})
	}
}

// Sums of few terms take no longer than storing them: whichever operand has the
// windows, runs of them lie in the lanes, as they do in the result.
func TestShortSumsAreStoredAsVectors(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	const images, o, h, w = 3, 20, 5, 28
	dims := []int{images, o, h, w, 3, 3}
	x := sample.View{DType: tensor.Float32, Offset: 0, Strides: []int64{(h + 2) * (w + 2), 0, w + 2, 1, w + 2, 1},
		Len: images * (h + 2) * (w + 2)}
	task := sample.Product([4]int{1, 1, 2, 2}, dims, sample.Dense(tensor.Float32, dims, 1, 4, 5), x, tensor.Float32)
	task.Ins[0].Steady = true
	p, err := variant.MakePlan(ocltest.CPU(16), nil, task, "contract=panel")
	require.NoError(t, err)
	require.Equal(t, "block 10x16", p.Params)
	requireWays(t, task, sample.EachKernel)
}

func TestPrologueAndEpilogueFuseIntoEveryWay(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	for _, dt := range []tensor.DType{tensor.Float32, tensor.Float64, tensor.BFloat16, tensor.Int32} {
		t.Run(dt.String(), func(t *testing.T) {
			t.Parallel()
			e := sample.ChosenWays
			if dt == tensor.Float32 {
				e = sample.EachKernel
			}
			requireWays(t, sample.Fused(dt), e)
		})
	}
}

func TestEmptySumIsTheEpilogueOfZero(t *testing.T) {
	t.Parallel()
	b := ocltest.OpenBench(t)
	task := sample.Matmul(tensor.Float32, 1, 5, 6, 1, false, false)
	task.Axes[3] = 0
	task.Ins[0].Len, task.Ins[1].Len = 0, 0
	task.Values[0] = engine.Apply(sample.Add, tensor.Float32, task.Values[0], engine.Constant(tensor.Float32, engine.Const{Float: 3}))
	for _, force := range []string{"", "contract=panel", "contract=tile", "contract=row"} {
		p, err := variant.MakePlan(ocltest.CPU(16), nil, task, force)
		require.NoError(t, err)
		r := b.Prepare(t, task, p, [][]byte{nil, nil})
		r.Run(t)
		for i, got := 0, r.Read(t); i < len(got); i += 4 {
			require.Equal(t, 3.0, ocltest.NumberAt(tensor.Float32, got[i:], 0))
		}
	}
}

func TestEmptyOutputLaunchesNothing(t *testing.T) {
	t.Parallel()
	for axis := range 3 {
		task := sample.Matmul(tensor.Float32, 2, 5, 6, 7, false, false)
		task.Axes[axis] = 0
		task.Outs[0].Len = 0
		p, err := variant.MakePlan(ocltest.CPU(16), nil, task, "")
		require.NoError(t, err)
		require.Empty(t, p.Launches)
	}
}

func TestNewSizesCompileNothingNew(t *testing.T) {
	t.Parallel()
	sources := func(task *engine.Task) string {
		p, err := variant.MakePlan(ocltest.CPU(16), nil, task, "")
		require.NoError(t, err)
		var b strings.Builder
		for _, l := range p.Launches {
			b.WriteString(l.Program.Text())
		}
		return b.String()
	}
	same := func(a, b string) { require.True(t, a == b, "the texts differ") }
	same(sources(sample.Matmul(tensor.Float32, 1, 500, 501, 502, false, true)),
		sources(sample.Matmul(tensor.Float32, 1, 611, 733, 97, false, true)))
	same(sources(sample.Convolution(4, 1, 16, 20, 20, 64, 3, 1, 1)), sources(sample.Convolution(9, 1, 8, 31, 31, 48, 5, 1, 1)))
}
