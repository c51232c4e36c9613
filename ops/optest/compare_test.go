package optest

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/format"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

func TestUnitInTheLastPlace(t *testing.T) {
	t.Parallel()
	f32, f16 := format.Of(tensor.Float32), format.Of(tensor.Float16)
	for _, c := range []struct{ got, want float64 }{
		{f32.ULP(1), 0x1p-23}, {f32.ULP(-1.5), 0x1p-23}, {f32.ULP(2), 0x1p-22}, {f32.ULP(0.999), 0x1p-24},
		{f32.ULP(0), 0x1p-149}, {f32.ULP(1e-40), 0x1p-149}, {f32.ULP(math.Inf(1)), 0x1p-149}, {f32.ULP(1e300), 0x1p104},
		{f16.ULP(1), 0x1p-10}, {f16.Overflow(), 65520}, {f32.MinNormal(), 0x1p-126},
		{format.Of(tensor.BFloat16).ULP(1), 0x1p-7}, {format.Of(tensor.Float64).ULP(1), 0x1p-52},
	} {
		require.Equal(t, c.want, c.got)
	}
}

func TestCompareAllowsTheBoundAndNoMore(t *testing.T) {
	t.Parallel()
	three := spec.Tolerance{ULP: 3, ULP64: 3}
	up := func(v float32, n int) float32 {
		for range n {
			v = math.Nextafter32(v, math.MaxFloat32)
		}
		return v
	}
	for _, c := range []struct {
		name string
		tol  spec.Tolerance
		got  float32
		want float64
		ok   bool
	}{
		{"exact", spec.Exact, 1.5, 1.5, true},
		{"one ulp off an exact one", spec.Exact, up(1.5, 1), 1.5, false},
		{"three of three", three, up(1, 3), 1, true},
		{"four of three", three, up(1, 4), 1, false},
		{"NaN", spec.Exact, float32(math.NaN()), math.NaN(), true},
		{"NaN for a number", three, float32(math.NaN()), 1, false},
		{"a number for NaN", three, 1, math.NaN(), false},
		{"infinity", spec.Exact, float32(math.Inf(1)), math.Inf(1), true},
		{"the other infinity", three, float32(math.Inf(-1)), math.Inf(1), false},
		{"the largest number for infinity", three, math.MaxFloat32, math.Inf(1), false},
		{"overflow", spec.Rounded, float32(math.Inf(1)), 1e39, true},
		{"infinity a few ulp below overflow", three, float32(math.Inf(1)), math.MaxFloat32 * (1 - 0x1p-24), true},
		{"infinity far below overflow", three, float32(math.Inf(1)), 3e38, false},
		{"zero of the other sign", spec.Exact, float32(math.Copysign(0, -1)), 0, true},
		{"a flushed subnormal", spec.Exact, 0, 1e-40, true},
		{"a subnormal that was only moved", spec.Moved, 0, 1e-40, false},
		{"a flushed normal number", spec.Exact, 0, 1e-37, false},
	} {
		v := Compare(c.tol, tensor.Scalar(c.got), reference.Exactly(spec.Array{DType: tensor.Float32, Shape: []int{}, F: []float64{c.want}}))
		require.Equal(t, c.ok, v.OK(), "%s: %s", c.name, v.Message)
	}
	wrong := Compare(spec.Exact, tensor.Must(tensor.FromSlice([]int64{1, math.MaxInt64 - 1}, 1, 2)),
		reference.Exactly(integers(tensor.Int64, []int{1, 2}, 1, math.MaxInt64)))
	require.Contains(t, wrong.Message, "1 of 2 elements are wrong, first at [0 1]: got 9223372036854775806, want 9223372036854775807")
	require.Contains(t, Compare(spec.Exact, tensor.Scalar(1.0), reference.Exactly(floats([]int{1}, 1))).Message, "shape is [], want [1]")
	require.Contains(t, Compare(spec.Exact, tensor.Scalar(int32(1)), reference.Exactly(floats([]int{}, 1))).Message, "dtype is int32, want float64")
}

func TestSumsAreJudgedByTheirTerms(t *testing.T) {
	t.Parallel()
	want := spec.Result{Array: spec.Array{DType: tensor.Float32, Shape: []int{}, F: []float64{0}}, Terms: []float64{1000}, N: 10}
	tol := spec.Summed(spec.AnySum)
	require.True(t, Compare(tol, tensor.Scalar(float32(1000*9*0x1p-24)), want).OK())
	require.False(t, Compare(tol, tensor.Scalar(float32(1000*11*0x1p-24)), want).OK())
}

// liar is the CPU path with one bit changed in all data that it reads back.
type liar struct{ engine.Engine }

func (l liar) Read(ctx context.Context, dst []byte, src engine.Memory, offset int64) error {
	err := l.Engine.Read(ctx, dst, src, offset)
	if len(dst) > 0 {
		dst[len(dst)/2/8*8] ^= 1 // the lowest bit of some element
	}
	return err
}

func TestAnEngineThatErrsByOneBitIsFound(t *testing.T) {
	t.Parallel()
	rt := ops.NewRuntime(liar{fallback.New(nil)})
	for op := range ops.Table() {
		if !spec.Of(op.Name).Tolerance.Moves && op.Name != "add" {
			continue
		}
		for _, dt := range op.DTypes {
			all := cells(op, dt)
			results, err := runCells(t.Context(), rt, all)
			require.NoError(t, err)
			for i, c := range all {
				wants, err := expected(c, results[i].seen)
				require.NoError(t, err)
				if v := Compare(spec.Of(op.Name).Tolerance, results[i].out, wants...); v.OK() && results[i].out.Len() > 0 && c.sample.Through == nil {
					// Half an ulp is allowed to a sum that is itself half way. A predicate that is
					// read wrong takes the other branch, which for bool may be the other value.
					require.True(t, op.Name == "add" && dt.IsFloat() || op.Name == "if" && dt == tensor.Bool, "%s/%v/%s", op.Name, dt, c.sample.Label)
				}
			}
		}
	}
}

func TestFillsAreWhatOperandsAskFor(t *testing.T) {
	t.Parallel()
	for _, dt := range tensor.DTypes() {
		a := spec.FromTensor(spec.Fill(spec.Operand{Shape: []int{300}, Lo: 1, Hi: 3}, dt, 1))
		for i := range a.Len() {
			require.True(t, dt == tensor.Bool || reference.FloatAt(a, i) >= 1 && reference.FloatAt(a, i) <= 3, "%v: %v", dt, reference.TextAt(a, i))
		}
		require.True(t, tensor.Equal(spec.Fill(spec.Operand{Shape: []int{9}}, dt, 7), spec.Fill(spec.Operand{Shape: []int{9}}, dt, 7)), "%v repeats", dt)
	}
	distinct := spec.FromTensor(spec.Fill(spec.Operand{Shape: []int{1000}, Distinct: true}, tensor.Float32, 1))
	seen := map[float64]bool{}
	for _, v := range distinct.F {
		require.False(t, seen[v])
		seen[v] = true
	}
	special := spec.FromTensor(spec.Fill(spec.Operand{Shape: []int{40}, Special: true}, tensor.Float16, 1))
	require.True(t, math.IsNaN(special.F[0]))
	require.Contains(t, special.F, 65504.0)
	require.Contains(t, special.F, math.Inf(-1))
	ints := spec.FromTensor(spec.Fill(spec.Operand{Shape: []int{40}, Special: true}, tensor.Int16, 1))
	require.Contains(t, ints.I, int64(math.MinInt16))
	require.Contains(t, ints.I, int64(math.MaxInt16))
}

// With Few, compositions take turns in dtypes other than their main one, and other ops in those that are alike; at least a sixth of all
// ops run in each.
func TestBundlesLeaveNoOpAndDTypeOut(t *testing.T) {
	t.Parallel()
	for _, few := range []bool{false, true} {
		o := &Options{Bundle: true, Few: few}
		b := newBundler(o)
		taken, ran := map[tensor.DType]int{}, map[tensor.DType]int{}
		for op := range ops.Table() {
			for _, dt := range DTypes(op) {
				all := cells(op, dt)
				b.add(op, all)
				if slices.ContainsFunc(all, func(c *cell) bool { return b.of[c] != nil || o.kept(c) }) {
					ran[dt]++
				} else {
					assert.True(t, few && dt != mainDType(op) && (isComposition(op) || !stands(op, dt)), "%s in %v", op.Name, dt)
				}
				taken[dt]++
			}
		}
		for dt, n := range taken {
			assert.GreaterOrEqual(t, 6*ran[dt], n, "%v", dt)
		}
		for op := range ops.Table() {
			for _, class := range alike {
				one := func(dt tensor.DType) bool { return slices.Contains(DTypes(op), dt) }
				if slices.ContainsFunc(class, one) {
					stand := func(dt tensor.DType) bool { return one(dt) && stands(op, dt) }
					assert.True(t, slices.ContainsFunc(class, stand), "%s in none of %v", op.Name, class)
				}
			}
		}
	}
}

// Of an op with many samples most run in a dtype that is not its main one, and none in no dtype; Rest has exactly what Every lacks.
func TestEverySampleRunsInSomeDTypeWithFew(t *testing.T) {
	t.Parallel()
	o, fewer := &Options{Bundle: true, Few: true}, 0
	for op := range ops.Table() {
		if isComposition(op) || elementwise(op) {
			continue
		}
		runs := map[int][]tensor.DType{} // by the number of the sample
		for _, dt := range DTypes(op) {
			for _, c := range cells(op, dt) {
				if o.kept(c) {
					runs[c.number] = append(runs[c.number], dt)
				}
			}
		}
		main := 0
		for i, s := range spec.Samples(op.Name) {
			assert.NotEmpty(t, runs[i], "%s, sample %s", op.Name, s.Label)
			if slices.Contains(runs[i], mainDType(op)) {
				main++
			}
		}
		if n := len(spec.Samples(op.Name)); len(DTypes(op)) > 1 && n > manySamples {
			fewer += n - main
		}
	}
	require.Greater(t, fewer, 100, "samples that left their main dtype")
}

func TestEveryAndRestAreTheWhole(t *testing.T) {
	t.Parallel()
	labels := func(o *Options) (all []string) {
		o.Ops, o.DTypes = []string{"sum", "sort"}, []tensor.DType{tensor.Float32}
		for _, p := range Parts(fallback.New(nil), o) {
			for _, c := range p.Check(t.Context()) {
				require.Equal(t, Passed, c.State, "%v", c.Err)
				all = append(all, p.Op.Name+" "+c.Sample)
			}
		}
		return all
	}
	whole, every, rest := labels(&Options{}), labels(&Options{Every: 6}), labels(&Options{Every: 6, Rest: true})
	require.NotEmpty(t, every)
	require.Greater(t, len(rest), 3*len(every))
	require.ElementsMatch(t, whole, slices.Concat(every, rest))
}

// With the samples that devices run, which are put together in the same way whatever their dtypes are.
func TestBundlesGiveWhatTheirCellsGiveAlone(t *testing.T) {
	for _, join := range []bool{false, true} {
		TestOps(t, fallback.New(nil), &Options{Bundle: true, Few: true, Join: join, Complete: true})
	}
}

func TestRandomGraphsReachEveryMove(t *testing.T) {
	t.Parallel()
	used := map[string]int{}
	for seed := range uint64(800) { // the other ops of the table take most places
		p := newProgram(seed)
		require.NotEmpty(t, p.outputs)
		for _, s := range p.steps {
			used[s.op]++
		}
	}
	for _, op := range []string{
		"reshape", "transpose", "slice", "pad", "broadcast_to", "concat", "windows", "gather", "take_along", "scatter_add",
		"sum", "max", "min", "mean", "argmax", "matmul", "conv2d", "max_pool2d", "softmax", "where", "less", "cast", "clip",
		"add", "sub", "mul", "maximum", "minimum", "tanh", "sigmoid", "exp", "relu", "square",
		"log_softmax", "layer_norm", "attention", "avg_pool2d",
	} {
		require.Greater(t, used[op], 20, op)
	}
}
