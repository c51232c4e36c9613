package frame

import (
	"errors"
	"math"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// isTrue is where a condition is true: neither false nor null.
func (v value) isTrue() *ops.Node { return both(v.x, v.ok) }

func boolean(x, ok *ops.Node) value {
	return value{typ: column.Bool.Of(), x: x, ok: ok, number: true, span: between(0, 1)}
}

func (l *lowering) not(a value) value { return boolean(ops.Not(a.x), a.ok) }

// logic is SQL's and, or its or: the result is known where an operand decides it, or both are known.
func (l *lowering) logic(or bool, a, b value) value {
	if a.ok == nil && b.ok == nil {
		if or {
			return boolean(ops.Or(a.x, b.x), nil)
		}
		return boolean(ops.And(a.x, b.x), nil)
	}
	isFalse := func(v value) *ops.Node { return both(ops.Not(v.x), v.ok) }
	isTrue, no := ops.And(a.isTrue(), b.isTrue()), ops.Or(isFalse(a), isFalse(b))
	if or {
		isTrue, no = ops.Or(a.isTrue(), b.isTrue()), ops.And(isFalse(a), isFalse(b))
	}
	return boolean(isTrue, ops.Or(isTrue, no))
}

func (l *lowering) isNull(a value, null bool) value {
	switch {
	case a.ok == nil && null:
		return boolean(l.g.Zeros(tensor.Bool), nil)
	case a.ok == nil:
		return boolean(l.g.Ones(tensor.Bool), nil)
	case null:
		return boolean(ops.Not(a.ok), nil)
	}
	return boolean(a.ok, nil)
}

func (l *lowering) isNaN(a value) value { return boolean(ops.IsNaN(a.x), a.ok) }

func (l *lowering) nullIf(a, eq value) value {
	a.ok = both(a.ok, ops.Not(eq.isTrue()))
	return a
}

var errStrings = errors.New("strings of several dictionaries have no form as ops")

// choose is a where the condition is true, else b.
func (l *lowering) choose(condition, a, b value) (value, error) {
	return l.chosen(condition.isTrue(), a, b)
}

func (l *lowering) coalesce(a, b value) (value, error) {
	if a.ok == nil {
		return a, nil
	}
	v, err := l.chosen(a.ok, a, b)
	if b.ok == nil {
		v.ok = nil
	} else {
		v.ok = ops.Or(a.ok, b.ok)
	}
	return v, err
}

func (l *lowering) chosen(is *ops.Node, a, b value) (value, error) {
	if a.typ.IsString() && a.dict != b.dict {
		return value{}, errStrings
	}
	v := value{typ: a.typ, x: ops.Where(is, a.x, b.x), dict: a.dict, number: a.number && b.number}
	v.span = spanned2(a, b, func(a, b [2]int64) ([2]int64, bool) { return [2]int64{min(a[0], b[0]), max(a[1], b[1])}, true })
	switch {
	case a.ok == nil && b.ok == nil:
	case a.ok == nil:
		v.ok = ops.Or(is, b.ok)
	case b.ok == nil:
		v.ok = ops.Or(ops.Not(is), a.ok)
	default:
		v.ok = ops.Or(ops.And(is, a.ok), ops.And(ops.Not(is), b.ok))
	}
	return v, nil
}

// table evaluates an expression of one dictionary column for each string of the dictionary and for null, on the host: rows read the results by their codes.
func (l *lowering) table(e bound, c *column.Column) (value, error) {
	dict := c.Dictionary()
	k := dict.Len()
	if k > max(1<<12, c.Len()/2) {
		return value{}, errors.New("a dictionary with about as many strings as rows")
	}
	r, err := l.each(e, c)
	if err != nil {
		return value{}, err
	}
	if r.Type().IsString() && r.Dictionary() == nil {
		if r, err = r.Encode(); err != nil {
			return value{}, err
		}
	}
	code, err := l.column(e.uses[0])
	if err != nil {
		return value{}, err
	}
	t, err := l.load(r, l.extent())
	if err != nil {
		return value{}, err
	}
	at := code.x
	if code.ok != nil {
		at = ops.Where(code.ok, at, scalar(l, int32(k)))
	}
	t.x = ops.Gather(t.x, 0, at)
	if t.ok != nil {
		t.ok = ops.Gather(t.ok, 0, at)
	}
	return t, nil
}

// each evaluates an expression of a dictionary column for each of its strings, and at last for null.
func (l *lowering) each(e bound, c *column.Column) (*column.Column, error) {
	dict := c.Dictionary()
	k := dict.Len()
	codes, valid := make([]int32, k+1), column.NewBitmap(k+1)
	for i := range k {
		codes[i] = int32(i)
		valid.Set(i, true)
	}
	m := &morsel{n: k + 1, cols: make([]*column.Column, e.uses[0]+1)}
	m.cols[e.uses[0]] = column.Trusted(codes, dict, valid)
	r, err := e.eval(m)
	if err != nil {
		return nil, err
	}
	return spread(r, k+1), nil
}

// nan is NaN of a float dtype.
func nan(g *ops.Graph, dt tensor.DType) *ops.Node {
	return g.Const(tensor.Must(tensor.Cast(tensor.Scalar(math.NaN()), dt)))
}
