package ocl

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/contract"
	"github.com/anycl/anycl/internal/taskref"
	"github.com/anycl/anycl/tensor"
)

func TestRowsFromAfarAreAskedForAhead(t *testing.T) {
	t.Parallel()
	facts := cpuFacts(16)
	facts.Cache = 32 << 20
	for name, c := range map[string]struct {
		task        *engine.Task
		far, across bool
	}{
		"near":                        {matmul(tensor.Float32, 1, 500, 96, 64, false, false), false, false},
		"from the cache of all cores": {matmul(tensor.Float32, 1, 1<<15, 96, 32, false, false), true, false},
		"from memory":                 {matmul(tensor.Float32, 1, 1<<18, 96, 32, false, false), true, true},
		"beside long panels":          {matmul(tensor.Float32, 1, 1<<16, 960, 160, false, false), true, false},
		"not along k":                 {matmul(tensor.Float32, 1, 1<<15, 96, 32, true, false), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := contract.Separate(facts, c.task, false).ChoosePanel()
			require.Equal(t, []bool{c.far, c.across}, []bool{p.Far, p.Across})
		})
	}
}

// Images in planes times weights: pixels are rows of the product and neighbours in the output, but for
// tiles that reach into the next image. 35 pixels are no multiple of 8.
func TestRowsThatAreNeighboursInTheOutputAreStoredAsVectors(t *testing.T) {
	numbersOnly(t)
	t.Parallel()
	const images, o, h, w, c = 3, 37, 5, 7, 4
	dims := []int{images, o, h, w, c, 3, 3}
	plane := int64((h + 2) * (w + 2))
	image := view{tensor.Float32, 0, []int64{c * plane, 0, w + 2, 1, plane, w + 2, 1}, images * c * plane}
	plain := product([4]int{1, 1, 2, 3}, dims, dense(tensor.Float32, dims, 1, 4, 5, 6), image, tensor.Float32)
	epilogue := product([4]int{1, 1, 2, 3}, dims, dense(tensor.Float32, dims, 1, 4, 5, 6), image, tensor.Float32)
	out := dense(tensor.Float32, dims, 0, 1, 2, 3)
	epilogue.Ins = append(epilogue.Ins, engine.Operand{DType: tensor.Float32, Len: o}, engine.Operand{DType: tensor.Float32, Len: out.len})
	epilogue.Alias = []int{3}
	v := engine.Apply(add, tensor.Float32, epilogue.Values[0], engine.Load(2, tensor.Float32, engine.AxisIndex(1), nil))
	v = engine.Apply(add, tensor.Float32, v, engine.Load(3, tensor.Float32, out.index(), nil))
	epilogue.Values[0] = engine.Apply(relu, tensor.Float32, v)
	for name, task := range map[string]*engine.Task{"plain": plain, "epilogue": epilogue} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, ins := useBench(t), randomInputs(task, 1)
			want, err := taskref.Eval(task, ins)
			require.NoError(t, err)
			for _, rows := range []int{4, 8, 6} {
				s := contract.Separate(cpuFacts(16), access.Collapse(task), true)
				p := s.ChoosePanel()
				p.Shape.Rows, p.Shape.Vectors, p.Splits = rows, 2, 1
				made, err := s.PlanPanel(p)
				require.NoError(t, err)
				require.Equal(t, rows != 6, strings.Contains(golden(made), "#define OUT_ROWS"), rows)
				r := b.prepare(t, task, made, ins)
				r.run(t)
				requireClose(t, tensor.Float32, task.Size(3), want[0], r.read(t))
			}
			requireWays(t, task, eachKernel)
		})
	}
}
