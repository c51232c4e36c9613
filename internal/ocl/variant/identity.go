package variant

import (
	"strconv"

	"github.com/anycl/anycl/engine"
)

// Identity is a comparable value: tasks of one identity, as layers of a network often have, have the same plan and the same cost. A task
// of a kind that expressions do not describe is alike to itself alone.
func Identity(t *engine.Task) any {
	switch t.Kind {
	case engine.Map, engine.Reduce, engine.Row, engine.Contract, engine.Scatter:
	default:
		return t
	}
	k := identity{b: make([]byte, 0, 1024)}
	k.numbers(int(t.Kind), int(t.Acc), int(t.Put))
	k.text(t.Name)
	k.numbers(t.Axes...)
	k.numbers(t.Groups...)
	k.numbers(t.Alias...)
	k.flags(t.Each, t.Distinct, t.FastMath, t.Reproducible, t.Alias == nil)
	for _, operands := range [][]engine.Operand{t.Ins, t.Outs} {
		k.numbers(len(operands))
		for _, o := range operands {
			k.numbers(int(o.DType), int(o.Len))
			k.flags(o.Steady)
		}
	}
	k.numbers(len(t.Values), len(t.Folds))
	for _, v := range t.Values {
		k.expr(v)
	}
	for _, f := range t.Folds {
		k.numbers(int(f.Monoid), int(f.Acc))
		k.expr(f.Value)
	}
	for _, e := range []*engine.Expr{t.A, t.B, t.At, t.Update} {
		k.expr(e)
	}
	return string(k.b)
}

// identity is the text that tells tasks apart; what varies in length comes with its length.
type identity struct{ b []byte }

func (k *identity) numbers(all ...int) {
	k.b = append(strconv.AppendInt(k.b, int64(len(all)), 10), ':')
	for _, n := range all {
		k.b = append(strconv.AppendInt(k.b, int64(n), 10), ' ')
	}
}

func (k *identity) flags(all ...bool) {
	for _, f := range all {
		k.b = strconv.AppendBool(k.b, f)
	}
}

func (k *identity) text(s string) {
	k.numbers(len(s))
	k.b = append(k.b, s...)
}

func (k *identity) expr(e *engine.Expr) {
	if e == nil {
		k.numbers(-1)
		return
	}
	k.text(e.Key())
}
