package maps_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// Rolls, tiles and blocks: quotients and remainders of columns, which loops over segments or over axes of their own do without.
func TestColumnsAreCutWhereAddressesBeginAgain(t *testing.T) {
	ocltest.NumbersOnly(t)
	e := device(t, "map=block", nil)
	r := rand.New(rand.NewPCG(11, 12))
	row := engine.AxisIndex(0)
	for _, c := range []struct {
		name       string
		rows, cols int
		column     func(c *engine.Index, dom engine.Domain) *engine.Index
		segments   int // of columns; 1: they are not cut
	}{
		{"roll", 5, 100, func(c *engine.Index, dom engine.Domain) *engine.Index { return c.AddConst(37).Mod(100, dom) }, 2},
		{"roll by all but one", 3, 33, func(c *engine.Index, dom engine.Domain) *engine.Index { return c.AddConst(32).Mod(33, dom) }, 2},
		{"two periods", 4, 90, func(c *engine.Index, dom engine.Domain) *engine.Index { return c.AddConst(7).Mod(45, dom) }, 3},
		{"steps", 4, 99, func(c *engine.Index, dom engine.Domain) *engine.Index { return c.AddConst(5).Div(40, dom).Mul(3) }, 3},
		{"many periods", 4, 99, func(c *engine.Index, dom engine.Domain) *engine.Index { return c.AddConst(5).Mod(9, dom) }, 1},
		{"tile", 6, 96, func(c *engine.Index, dom engine.Domain) *engine.Index { return c.Mod(32, dom) }, 1},
		{"outer and inner", 6, 128, func(c *engine.Index, dom engine.Domain) *engine.Index { return c.Mod(32, dom).Add(c.Div(32, dom)) }, 1},
		{"flat", 1, 100, func(c *engine.Index, dom engine.Domain) *engine.Index { return c.AddConst(99).Mod(100, dom) }, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			dom := engine.Domain{c.rows, c.cols}
			column := c.column(engine.AxisIndex(1), dom)
			_, most := column.Bounds(dom)
			in := engine.Operand{DType: tensor.Float32, Len: int64(c.rows) * (most + 1)}
			x := engine.Load(0, tensor.Float32, row.Mul(most+1).Add(column), nil)
			p := ocltest.Verify(t, e, sample.Map(dom, engine.Apply(sample.Mul, tensor.Float32, x, x), in),
				[][]byte{ocltest.RandomBytes(r, tensor.Float32, in.Len)}, 0, 1)
			if e.Facts().CPU {
				require.Equal(t, c.segments, strings.Count(p.Source, "INLINE float value_"), p.Source)
			}
		})
	}
}
