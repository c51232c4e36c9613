package maps_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// Stencils and paddings: points away from borders are computed without the conditions of borders, and all points right.
func TestPointsAwayFromBordersHaveNoConditions(t *testing.T) {
	ocltest.NumbersOnly(t)
	e := device(t, "map=block", nil)
	r := rand.New(rand.NewPCG(13, 14))
	const rows, cols = 170, 208
	in := engine.Operand{DType: tensor.Float32, Len: rows * cols}
	// at is element (a r + i, b c + j) of an image, 0 outside of it.
	at := func(row, col *engine.Index, a, i, b, j int64) *engine.Expr {
		y, x := row.Mul(a).AddConst(i), col.Mul(b).AddConst(j)
		return engine.Load(0, tensor.Float32, y.Mul(cols).Add(x), []engine.Cond{{X: y, Lo: 0, Hi: rows}, {X: x, Lo: 0, Hi: cols}})
	}
	// near is element (i, j) of an image that goes on as its indices say.
	near := func(i, j *engine.Index) *engine.Expr { return engine.Load(0, tensor.Float32, i.Mul(cols).Add(j), nil) }
	whole := engine.Domain{rows, cols}
	edge := func(x *engine.Index, n int64) *engine.Index { return x.Max(0, whole).Min(n-1, whole) }
	mirror := func(x *engine.Index, n int64) *engine.Index {
		x = x.Mod(2*n-2, whole)
		return x.Add(x.Mul(-2).AddConst(2*n-2).Min(0, whole))
	}
	sum := func(es ...*engine.Expr) *engine.Expr {
		s := es[0]
		for _, e := range es[1:] {
			s = engine.Apply(sample.Add, tensor.Float32, s, e)
		}
		return s
	}
	y, x, z := engine.AxisIndex(0), engine.AxisIndex(1), engine.AxisIndex(2)
	along := func(i int64) *engine.Expr { // of one axis
		return engine.Load(0, tensor.Float32, y.AddConst(i), []engine.Cond{{X: y.AddConst(i), Lo: 0, Hi: rows * cols}})
	}
	for _, c := range []struct {
		name string
		dom  engine.Domain
		cut  bool
		// whole rows are computed without conditions: few columns are at borders, and what these load then lies in the operand too
		whole bool
		e     *engine.Expr
	}{
		{"five points", engine.Domain{rows, cols}, true, true, sum(at(y, x, 1, -1, 1, 0), at(y, x, 1, 0, 1, -1), at(y, x, 1, 0, 1, 1),
			at(y, x, 1, 1, 1, 0))},
		{"far points", engine.Domain{rows, cols}, true, false, sum(at(y, x, 1, -20, 1, 31), at(y, x, 1, 9, 1, -41), at(y, x, 1, 0, 1, 0),
			at(y, x, 1, 0, 1, 5))},
		{"flipped", engine.Domain{rows, cols}, true, true, sum(at(y, x, -1, rows-3, -1, cols+4), at(y, x, 1, 3, -1, cols-9), at(y, x, 1, 0, 1, 1),
			at(y, x, 1, 0, 1, 0))},
		{"every other", engine.Domain{2 * rows, cols / 2}, true, false, sum(at(y, x, 1, -rows, 1, -30), at(y, x, 1, 2-rows, 2, -15),
			at(y, x, 1, -rows, -2, cols-1), at(y, x, 1, 1-rows, 1, 0))},
		{"of a stack", engine.Domain{5, rows / 5, cols}, true, true, sum(at(y.Mul(rows/5).Add(z.Mul(0)).AddConst(0), z, 1, -1, 1, 1),
			at(y, z, 9, 1, 1, -2), at(x, z, 1, -1, 1, 0), at(x, z, 2, 0, 1, 0))},
		{"edges again", whole, true, true, sum(near(edge(y.AddConst(-2), rows), x), near(edge(y.AddConst(3), rows), x),
			near(y, edge(x.AddConst(-1), cols)), near(y, edge(x.AddConst(4), cols)))},
		{"mirrored", whole, true, true, sum(near(mirror(y.AddConst(-2), rows), x), near(mirror(y.AddConst(3), rows), x),
			near(y, mirror(x.AddConst(-1), cols)), near(y, mirror(x.AddConst(4), cols)))},
		{"wrapped", whole, true, true, sum(near(y.AddConst(rows-2).Mod(rows, whole), x), near(y.AddConst(1).Mod(rows, whole), x),
			near(y, x.AddConst(3).Mod(cols, whole)), near(y, x.AddConst(cols-1).Mod(cols, whole)))},
		{"halves apart", engine.Domain{rows, cols}, false, false, sum(at(y, x, 1, 0, 1, -130), at(y, x, 1, 0, 1, 130), at(y, x, 1, 0, 1, 0),
			at(y, x, 1, 0, 1, -150))},
		{"one row", engine.Domain{rows * cols}, true, false, sum(along(-1), along(2), along(-3), along(1))},
		{"across rows", whole, true, true, sum(at(y, x, 1, 0, 1, -1), at(y, x, 1, 0, 1, -2), at(y, x, 1, 0, 1, 1), at(y, x, 1, 0, 1, 2))},
		{"rest of a vector", engine.Domain{rows, cols - 7}, true, false, sum(at(y, x, 1, -1, 1, 0), at(y, x, 1, 0, 1, -1), at(y, x, 1, 0, 1, -2),
			at(y, x, 1, 1, 1, 0))},
		{"few points", engine.Domain{17, 21}, false, false, sum(at(y, x, 1, -1, 1, 0), at(y, x, 1, 0, 1, -1))},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := ocltest.Verify(t, e, sample.Map(c.dom, c.e, in), [][]byte{ocltest.RandomBytes(r, tensor.Float32, in.Len)}, 0, 1)
			if e.Facts().CPU {
				require.Equal(t, c.cut, strings.Contains(p.Source, "#define INTERIOR 1"), p.Source)
				require.Equal(t, c.whole, strings.Contains(p.Source, "#define WHOLE 1"), p.Source)
			}
		})
	}
}

// Several values, as of a concatenation that others read changed too, have one type away from borders and at them.
func TestSeveralValuesAwayFromBorders(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	const rows, cols = 170, 810
	dom := engine.Domain{rows, cols}
	in := engine.Operand{DType: tensor.Float32, Len: rows * cols}
	x := engine.AxisIndex(1).AddConst(-3)
	v := engine.Load(0, tensor.Float32, engine.AxisIndex(0).Mul(cols).Add(x), []engine.Cond{{X: x, Lo: 0, Hi: cols}})
	task := sample.Map(dom, v, in)
	task.Values = append(task.Values, engine.Apply(sample.Mul, tensor.Float32, v, v))
	task.Outs = append(task.Outs, task.Outs[0])
	e := device(t, "map=block", nil)
	p := ocltest.Verify(t, e, task, ocltest.RandomInputs(task, 1), 0, 1)
	if e.Facts().CPU {
		require.Contains(t, p.Source, "#define INTERIOR 1")
	}
}

// Some of the blocks that are stored past the caches are at borders: their points away from the borders have no conditions either.
// Long rows are stored so, and short ones of whole lines.
func TestPointsAwayFromBordersAreStoredPastTheCaches(t *testing.T) {
	ocltest.NumbersOnly(t)
	e := device(t, "map=block", func(d *facts.Device) { d.Cache = 1 })
	for _, c := range []struct {
		rows, cols int64
		streamed   string
	}{{40, 1100, "1"}, {200, 176, "1"}, {80, 528, "1"}, {200, 180, "0"}} {
		rows, cols := c.rows, c.cols
		whole := engine.Domain{int(rows), int(cols)}
		in := engine.Operand{DType: tensor.Float32, Len: rows * cols}
		y, x := engine.AxisIndex(0), engine.AxisIndex(1)
		v := engine.Load(0, tensor.Float32, y.Mul(cols).Add(x), nil)
		for _, by := range [][2]int64{{-1, 0}, {2, 0}, {0, -3}, {0, cols / 4}} {
			i, j := y.AddConst(by[0]), x.AddConst(by[1])
			within := []engine.Cond{{X: i, Lo: 0, Hi: rows}, {X: j, Lo: 0, Hi: cols}}
			v = engine.Apply(sample.Add, tensor.Float32, v, engine.Load(0, tensor.Float32, i.Mul(cols).Add(j), within))
		}
		p := ocltest.Verify(t, e, sample.Map(whole, v, in), [][]byte{ocltest.RandomBytes(rand.New(rand.NewPCG(15, 16)), tensor.Float32, in.Len)},
			0, 1)
		if e.Facts().CPU {
			require.Contains(t, p.Source, "#define STREAMED "+c.streamed)
			require.Contains(t, p.Source, "#define INTERIOR 1")
		}
	}
}
