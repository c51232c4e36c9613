package ocl

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// Channels that are put side by side, taken apart, and joined of two inputs: last
// and further out, with rows that do and do not fill vectors.
func TestThinAxesAreWrittenOut(t *testing.T) {
	numbersOnly(t)
	f := tensor.Float32
	for _, c := range []struct {
		dt   tensor.DType
		dom  engine.Domain
		from []int // the axes of the input, outermost first
	}{
		{f, engine.Domain{2, 70, 3}, []int{0, 2, 1}},
		{f, engine.Domain{2, 3, 131}, []int{0, 2, 1}},
		{f, engine.Domain{64, 8}, []int{1, 0}},
		{tensor.Int8, engine.Domain{3, 200}, []int{1, 0}},
		{tensor.Float16, engine.Domain{3, 65, 2}, []int{2, 0, 1}},
		{tensor.Int64, engine.Domain{2, 5, 77}, []int{0, 2, 1}},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			in := engine.Operand{DType: c.dt, Len: c.dom.Size()}
			x := engine.Load(0, c.dt, denseAt(c.dom, c.from...), nil)
			r := rand.New(rand.NewPCG(6, 7))
			p := verify(t, device(t, "map=thin", nil), mapTask(c.dom, x, in), [][]byte{randomBytes(r, c.dt, in.Len)}, 0, 0)
			require.Contains(t, p.Variant, "thin")
		})
	}
	t.Run("joined", func(t *testing.T) {
		t.Parallel()
		const n = 300
		row, column := engine.AxisIndex(0), engine.AxisIndex(1)
		half := engine.Operand{DType: f, Len: n}
		first := engine.Load(0, f, row, []engine.Cond{{X: column, Lo: 0, Hi: 1}})
		second := engine.Load(1, f, row, []engine.Cond{{X: column, Lo: 1, Hi: 2}})
		task := mapTask(engine.Domain{n, 2}, engine.Apply(fnAdd, f, first, second), half, half)
		r := rand.New(rand.NewPCG(8, 9))
		p := verify(t, device(t, "", nil), task, [][]byte{randomBytes(r, f, n), randomBytes(r, f, n)}, 0, 0)
		if device(t, "", nil).facts.cpu {
			require.Contains(t, p.Variant, "thin")
		}
	})
}
