package maps_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// Channels that are put side by side, taken apart, and joined of two inputs: last
// and further out, with rows that do and do not fill vectors.
func TestThinAxesAreWrittenOut(t *testing.T) {
	ocltest.NumbersOnly(t)
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
			x := engine.Load(0, c.dt, sample.DenseAt(c.dom, c.from...), nil)
			r := rand.New(rand.NewPCG(6, 7))
			p := ocltest.Verify(t, device(t, "map=thin", nil), sample.Map(c.dom, x, in), [][]byte{ocltest.RandomBytes(r, c.dt, in.Len)}, 0, 0)
			require.Contains(t, p.Variant, "thin")
		})
	}
	t.Run("phases", func(t *testing.T) { // y[c][2i+r][2j+s] of x[r][s][c][i][j]
		t.Parallel()
		dom := engine.Domain{3, 20, 140}
		of := func(a int) (outer, inner *engine.Index) {
			return engine.AxisIndex(a).Div(2, dom), engine.AxisIndex(a).Mod(2, dom)
		}
		i, r := of(1)
		j, s := of(2)
		addr := r.Mul(2 * 3 * 700).Add(s.Mul(3 * 700)).Add(engine.AxisIndex(0).Mul(700)).Add(i.Mul(70)).Add(j)
		in := engine.Operand{DType: f, Len: dom.Size()}
		p := ocltest.Verify(t, device(t, "map=thin", nil), sample.Map(dom, engine.Load(0, f, addr, nil), in),
			[][]byte{ocltest.RandomBytes(rand.New(rand.NewPCG(6, 8)), f, in.Len)}, 0, 0)
		require.Contains(t, p.Variant, "thin")
	})
	t.Run("joined", func(t *testing.T) {
		t.Parallel()
		const n = 300
		row, column := engine.AxisIndex(0), engine.AxisIndex(1)
		half := engine.Operand{DType: f, Len: n}
		first := engine.Load(0, f, row, []engine.Cond{{X: column, Lo: 0, Hi: 1}})
		second := engine.Load(1, f, row, []engine.Cond{{X: column, Lo: 1, Hi: 2}})
		task := sample.Map(engine.Domain{n, 2}, engine.Apply(sample.Add, f, first, second), half, half)
		r := rand.New(rand.NewPCG(8, 9))
		p := ocltest.Verify(t, device(t, "", nil), task, [][]byte{ocltest.RandomBytes(r, f, n), ocltest.RandomBytes(r, f, n)}, 0, 0)
		if device(t, "", nil).Facts().CPU {
			require.Contains(t, p.Variant, "thin")
		}
	})
	t.Run("phases", func(t *testing.T) {
		t.Parallel()
		// An element takes from the two windows around it, and from none beyond the edge.
		dom := engine.Domain{3, 3 * 40}
		at := engine.AxisIndex(1).AddConst(1)
		window, tap := at.Div(3, dom), at.Mod(3, dom)
		here := engine.Load(0, f, engine.AxisIndex(0).Mul(40).Add(window), []engine.Cond{{X: window, Lo: 0, Hi: 40}})
		before := engine.Load(0, f, engine.AxisIndex(0).Mul(40).Add(window).AddConst(-1), []engine.Cond{{X: window, Lo: 1, Hi: 41}})
		taken := engine.Apply(sample.Mul, f, engine.Apply(sample.Add, f, here, before), engine.IndexValue(f, tap))
		r := rand.New(rand.NewPCG(8, 9))
		p := ocltest.Verify(t, device(t, "map=thin", nil), sample.Map(dom, taken, engine.Operand{DType: f, Len: 120}),
			[][]byte{ocltest.RandomBytes(r, f, 120)}, 0, 0)
		require.Contains(t, p.Variant, "thin view=3x40x3")
	})
}
