package sample

import (
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// PaddedImages copies images [n c h w] to [n h w c] with zeros above, left of, below
// and right of them.
func PaddedImages(dt tensor.DType, size, around [4]int) *engine.Task {
	n, c, h, w := size[0], size[1], size[2], size[3]
	dom := engine.Domain{n, h + around[0] + around[2], w + around[1] + around[3], c}
	y, x := engine.AxisIndex(1).AddConst(int64(-around[0])), engine.AxisIndex(2).AddConst(int64(-around[1]))
	at := engine.AxisIndex(0).Mul(int64(c)).Add(engine.AxisIndex(3)).Mul(int64(h)).Add(y).Mul(int64(w)).Add(x)
	inside := []engine.Cond{{X: y, Lo: 0, Hi: int64(h)}, {X: x, Lo: 0, Hi: int64(w)}}
	return Map(dom, engine.Load(0, dt, at, inside), engine.Operand{DType: dt, Len: int64(n * c * h * w)})
}

// Pick reads the rows of a table that ids name, zeros where there is none.
func Pick(dt, ids tensor.DType, table, rows, cols int) *engine.Task {
	row := engine.DataIndex(engine.Load(1, ids, engine.AxisIndex(0), nil))
	v := engine.Load(0, dt, row.Mul(int64(cols)).Add(engine.AxisIndex(1)), []engine.Cond{{X: row, Lo: 0, Hi: int64(table)}})
	return Map(engine.Domain{rows, cols}, v, engine.Operand{DType: dt, Len: int64(table * cols)}, engine.Operand{DType: ids, Len: int64(rows)})
}

// SeveralValues is a map of two inputs over dom to their sum, which takes the
// memory of the second, the first one's square in half precision, and the
// first one itself, which takes that of the first.
func SeveralValues(dom engine.Domain) *engine.Task {
	const f32, f16 = tensor.Float32, tensor.Float16
	at := DenseAt(dom, 0, 1)
	a, b := engine.Load(0, f32, at, nil), engine.Load(1, f32, at, nil)
	n := dom.Size()
	t := Map(dom, engine.Apply(Add, f32, a, b), engine.Operand{DType: f32, Len: n}, engine.Operand{DType: f32, Len: n})
	t.Values = append(t.Values, engine.Apply(Cast, f16, engine.Apply(Mul, f32, a, a)), b)
	t.Outs = append(t.Outs, engine.Operand{DType: f16, Len: n}, engine.Operand{DType: f32, Len: n})
	return t
}

// Load is the whole of input i, along all axes of dom.
func Load(i int, dt tensor.DType, dom engine.Domain) *engine.Expr {
	axes := make([]int, len(dom))
	for a := range dom {
		axes[a] = a
	}
	return engine.Load(i, dt, DenseAt(dom, axes...), nil)
}

// Whole is the operand that Load reads.
func Whole(dt tensor.DType, dom engine.Domain) engine.Operand {
	return engine.Operand{DType: dt, Len: dom.Size()}
}

// Transposed is the transpose of a matrix, or of a batch of them.
func Transposed(dt tensor.DType, dom ...int) *engine.Task {
	d := engine.Domain(dom)
	axes := []int{1, 0}
	if len(d) == 3 {
		axes = []int{0, 2, 1}
	}
	return Map(d, engine.Load(0, dt, DenseAt(d, axes...), nil), Whole(dt, d))
}

// TransposedTimes is the transpose of a matrix times another one that lies as the output does.
func TransposedTimes(dt tensor.DType, rows, cols int) *engine.Task {
	d := engine.Domain{rows, cols}
	v := engine.Apply(Mul, dt, engine.Load(0, dt, DenseAt(d, 1, 0), nil), Load(1, dt, d))
	return Map(d, v, Whole(dt, d), Whole(dt, d))
}

// TransposedTimesWithin is TransposedTimes with zeros where the transposed matrix, of fewer columns, ends.
func TransposedTimesWithin(dt tensor.DType, rows, cols int) *engine.Task {
	t := TransposedTimes(dt, rows, cols)
	inside := []engine.Cond{{X: engine.AxisIndex(1), Lo: 0, Hi: int64(cols) - 3}}
	d := engine.Domain{rows, cols}
	t.Values[0] = engine.Apply(Mul, dt, engine.Load(0, dt, DenseAt(d, 1, 0), inside), Load(1, dt, d))
	return t
}

// TwoTransposed is the transpose of a matrix less that of integers.
func TwoTransposed(rows, cols int) *engine.Task {
	d, f32 := engine.Domain{rows, cols}, tensor.Float32
	x, y := engine.Load(0, f32, DenseAt(d, 1, 0), nil), engine.Load(1, tensor.Int16, DenseAt(d, 1, 0), nil)
	return Map(d, engine.Apply(Sub, f32, x, engine.Apply(Cast, f32, y)), Whole(f32, d), Whole(tensor.Int16, d))
}

// ScaledColumns is x times a factor of its column.
func ScaledColumns(dt tensor.DType, dom engine.Domain) *engine.Task {
	v := engine.Apply(Mul, dt, Load(0, dt, dom), engine.Load(1, dt, engine.AxisIndex(len(dom)-1), nil))
	return Map(dom, v, Whole(dt, dom), engine.Operand{DType: dt, Len: int64(dom[len(dom)-1])})
}

// ExpOf is the exponential of x, computed in vectors.
func ExpOf(dt tensor.DType, dom engine.Domain) *engine.Task {
	v := engine.Apply(Exp, tensor.Float32, widened(Load(0, dt, dom)))
	if dt != tensor.Float32 {
		v = engine.Apply(Cast, dt, v)
	}
	return Map(dom, v, Whole(dt, dom))
}
