package lower

import (
	"errors"
	"math"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// IsTrue is where a condition is true: neither false nor null.
func (v Value) IsTrue() *ops.Node { return Both(v.X, v.OK) }

func boolean(x, ok *ops.Node) Value {
	return Value{Type: column.Bool.Of(), X: x, OK: ok, Number: true, Span: between(0, 1)}
}

// Not is null for null.
func (l *Graph) Not(a Value) Value { return boolean(ops.Not(a.X), a.OK) }

// Logic is SQL's and, or its or: the result is known where an operand decides it, or both are known.
func (l *Graph) Logic(or bool, a, b Value) Value {
	if a.OK == nil && b.OK == nil {
		if or {
			return boolean(ops.Or(a.X, b.X), nil)
		}
		return boolean(ops.And(a.X, b.X), nil)
	}
	isFalse := func(v Value) *ops.Node { return Both(ops.Not(v.X), v.OK) }
	isTrue, no := ops.And(a.IsTrue(), b.IsTrue()), ops.Or(isFalse(a), isFalse(b))
	if or {
		isTrue, no = ops.Or(a.IsTrue(), b.IsTrue()), ops.And(isFalse(a), isFalse(b))
	}
	return boolean(isTrue, ops.Or(isTrue, no))
}

// IsNull is whether a value is null, or whether it is not.
func (l *Graph) IsNull(a Value, null bool) Value {
	switch {
	case a.OK == nil && null:
		return boolean(l.Ops.Zeros(tensor.Bool), nil)
	case a.OK == nil:
		return boolean(l.Ops.Ones(tensor.Bool), nil)
	case null:
		return boolean(ops.Not(a.OK), nil)
	}
	return boolean(a.OK, nil)
}

// IsNaN is null for null.
func (l *Graph) IsNaN(a Value) Value { return boolean(ops.IsNaN(a.X), a.OK) }

// NullIf is null where eq is true.
func (l *Graph) NullIf(a, eq Value) Value {
	a.OK = Both(a.OK, ops.Not(eq.IsTrue()))
	return a
}

var errStrings = errors.New("strings of several dictionaries have no form as ops")

// Choose is a where the condition is true, else b.
func (l *Graph) Choose(condition, a, b Value) (Value, error) {
	return l.chosen(condition.IsTrue(), a, b)
}

// Coalesce is a where it is not null, else b.
func (l *Graph) Coalesce(a, b Value) (Value, error) {
	if a.OK == nil {
		return a, nil
	}
	v, err := l.chosen(a.OK, a, b)
	if b.OK == nil {
		v.OK = nil
	} else {
		v.OK = ops.Or(a.OK, b.OK)
	}
	return v, err
}

func (l *Graph) chosen(is *ops.Node, a, b Value) (Value, error) {
	if a.Type.IsString() && a.Dict != b.Dict {
		return Value{}, errStrings
	}
	v := Value{Type: a.Type, X: ops.Where(is, a.X, b.X), Dict: a.Dict, Number: a.Number && b.Number}
	v.Span = spanned2(a, b, func(a, b [2]int64) ([2]int64, bool) { return [2]int64{min(a[0], b[0]), max(a[1], b[1])}, true })
	switch {
	case a.OK == nil && b.OK == nil:
	case a.OK == nil:
		v.OK = ops.Or(is, b.OK)
	case b.OK == nil:
		v.OK = ops.Or(ops.Not(is), a.OK)
	default:
		v.OK = ops.Or(ops.And(is, a.OK), ops.And(ops.Not(is), b.OK))
	}
	return v, nil
}

// Nan is NaN of a float dtype.
func Nan(g *ops.Graph, dt tensor.DType) *ops.Node {
	return g.Const(tensor.Must(tensor.Cast(tensor.Scalar(math.NaN()), dt)))
}
