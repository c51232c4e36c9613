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
	"github.com/anycl/anycl/internal/taskref"
	"github.com/anycl/anycl/tensor"
)

func TestRowsFromAfarAreAskedForAhead(t *testing.T) {
	t.Parallel()
	facts := ocltest.CPU(16)
	facts.Cache = 32 << 20
	for name, c := range map[string]struct {
		task        *engine.Task
		far, across bool
	}{
		"near":                        {sample.Matmul(tensor.Float32, 1, 500, 96, 64, false, false), false, false},
		"from the cache of all cores": {sample.Matmul(tensor.Float32, 1, 1<<15, 96, 32, false, false), true, false},
		"from memory":                 {sample.Matmul(tensor.Float32, 1, 1<<18, 96, 32, false, false), true, true},
		"beside long panels":          {sample.Matmul(tensor.Float32, 1, 1<<16, 960, 160, false, false), true, false},
		"not along k":                 {sample.Matmul(tensor.Float32, 1, 1<<15, 96, 32, true, false), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := contract.Separate(facts, c.task, false).ChoosePanel()
			require.Equal(t, []bool{c.far, c.across}, []bool{p.Far, p.Across})
		})
	}
}

// Columns that whole panels leave are multiplied by half of one's vectors where these hold them, and what is computed from sums is stored
// by vectors of the width that the device has.
func TestFewColumnsThatPanelsLeaveTakeHalfOfOne(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	for _, c := range []struct {
		lanes, n int
		half     bool
	}{{8, 24, true}, {8, 21, true}, {8, 40, true}, {8, 25, true}, {8, 32, true}, {8, 8, false}, {16, 40, true}, {16, 60, true}} {
		t.Run(fmt.Sprintf("%d of %d lanes", c.n, c.lanes), func(t *testing.T) {
			t.Parallel()
			task := sample.Biased(sample.Matmul(tensor.Float32, 1, 77, c.n, 24, false, true))
			task.Values[0] = task.Values[0].Args[0] // of the bias and the residual
			b, ins := ocltest.OpenBench(t), ocltest.RandomInputs(task, 1)
			want, err := taskref.Eval(task, ins)
			require.NoError(t, err)
			s := contract.Separate(ocltest.CPU(c.lanes), access.Collapse(task), false)
			p := s.ChoosePanel()
			p.PackB, p.Splits = true, 1
			made, err := s.PlanPanel(p)
			require.NoError(t, err)
			source := made.Describe().Source
			for text, want := range map[string]bool{"#define HALF 1": c.half, fmt.Sprintf("float%d acc", c.lanes): true,
				"#define OUT_VECTOR": true} {
				require.Equal(t, want, strings.Contains(source, text), text)
			}
			r := b.Prepare(t, task, made, ins)
			r.Run(t)
			ocltest.RequireClose(t, tensor.Float32, 24, want[0], r.Read(t))
		})
	}
}

// Images in planes times weights: pixels are rows of the product and neighbours in the output, but for
// tiles that reach into the next image. 35 pixels are no multiple of 8.
func TestRowsThatAreNeighboursInTheOutputAreStoredAsVectors(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	const images, o, h, w, c = 3, 37, 5, 7, 4
	dims := []int{images, o, h, w, c, 3, 3}
	plane := int64((h + 2) * (w + 2))
	image := sample.View{DType: tensor.Float32, Offset: 0, Strides: []int64{c * plane, 0, w + 2, 1, plane, w + 2, 1}, Len: images * c * plane}
	plain := sample.Product([4]int{1, 1, 2, 3}, dims, sample.Dense(tensor.Float32, dims, 1, 4, 5, 6), image, tensor.Float32)
	epilogue := sample.Product([4]int{1, 1, 2, 3}, dims, sample.Dense(tensor.Float32, dims, 1, 4, 5, 6), image, tensor.Float32)
	out := sample.Dense(tensor.Float32, dims, 0, 1, 2, 3)
	epilogue.Ins = append(epilogue.Ins, engine.Operand{DType: tensor.Float32, Len: o}, engine.Operand{DType: tensor.Float32, Len: out.Len})
	epilogue.Alias = []int{3}
	v := engine.Apply(sample.Add, tensor.Float32, epilogue.Values[0], engine.Load(2, tensor.Float32, engine.AxisIndex(1), nil))
	v = engine.Apply(sample.Add, tensor.Float32, v, engine.Load(3, tensor.Float32, out.Index(), nil))
	epilogue.Values[0] = engine.Apply(sample.ReLU, tensor.Float32, v)
	for name, task := range map[string]*engine.Task{"plain": plain, "epilogue": epilogue} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, ins := ocltest.OpenBench(t), ocltest.RandomInputs(task, 1)
			want, err := taskref.Eval(task, ins)
			require.NoError(t, err)
			for _, rows := range []int{4, 8, 6} {
				s := contract.Separate(ocltest.CPU(16), access.Collapse(task), true)
				p := s.ChoosePanel()
				p.Shape.Rows, p.Shape.Vectors, p.Splits = rows, 2, 1
				made, err := s.PlanPanel(p)
				require.NoError(t, err)
				require.Equal(t, rows != 6, strings.Contains(made.Describe().Source, "#define OUT_ROWS"), rows)
				r := b.Prepare(t, task, made, ins)
				r.Run(t)
				ocltest.RequireClose(t, tensor.Float32, task.Size(3), want[0], r.Read(t))
			}
			requireWays(t, task, sample.EachKernel)
		})
	}
}
