package expr

import (
	"fmt"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/lower"
)

// choice binds a function that takes each value from one of several operands.
func (b *Binder) choice(n *Node, hint column.Type) (Bound, error) {
	switch n.Op {
	case "isin":
		return b.isIn(n)
	case "when":
		return b.when(n, hint)
	}
	args, err := b.same(n.Args, hint)
	if err != nil {
		return Bound{}, err
	}
	t := args[0].Type
	switch n.Op {
	case "nullif":
		eq, err := comparison("eq", args[0], args[1])
		if err != nil {
			return eq, err
		}
		return binary(t, args[0], eq, func(m *Morsel, a, is *column.Column) (*column.Column, error) {
			rows := length(m, a, is)
			keep := m.bitmap(rows)
			for k := range keep.Words() {
				valid, value := truth(is, k, rows)
				keep.SetWord(k, ^(valid & value))
			}
			a = Spread(a, rows)
			return a.WithValidity(column.And(keep, a.Validity()))
		}).on(func(l *Lowering, v []lower.Value) (lower.Value, error) { return l.NullIf(v[0], v[1]), nil }, args[0], eq), nil
	case "clip":
		low, err := comparison("lt", args[0], args[1])
		if err != nil {
			return low, err
		}
		if !t.IsNumeric() && !t.IsTemporal() {
			return low, fmt.Errorf("%s cannot be clipped", t)
		}
		x := args[0]
		lower := choose(t, low, args[1], x)
		high, err := comparison("gt", lower, args[2])
		return choose(t, high, args[2], lower), err
	}
	out := args[len(args)-1] // coalesce
	for i := len(args) - 2; i >= 0; i-- {
		x, rest := args[i], out
		out = binary(t, x, rest, func(m *Morsel, a, c *column.Column) (*column.Column, error) {
			if a.Nulls() == 0 {
				return a, nil
			}
			rows := length(m, a, c)
			if rows == 1 {
				return c, nil
			}
			if a.Len() == 1 {
				return Spread(c, rows), nil
			}
			return chosen(m, t, a.Validity(), a, c)
		}).on(func(l *Lowering, v []lower.Value) (lower.Value, error) { return l.Coalesce(v[0], v[1]) }, x, rest)
	}
	return out, nil
}

func (b *Binder) when(n *Node, hint column.Type) (Bound, error) {
	var conditions []Bound
	var values []*Node
	for i := 0; i+1 < len(n.Args); i += 2 {
		c, err := b.BindAs(n.Args[i], column.Bool.Of())
		if err != nil {
			return c, err
		}
		if c.Type.Kind != column.Bool {
			return c, fmt.Errorf("%s is no condition", c.Type)
		}
		conditions, values = append(conditions, c), append(values, n.Args[i+1])
	}
	args, err := b.same(append(values, n.Args[len(n.Args)-1]), hint)
	if err != nil {
		return Bound{}, err
	}
	out := args[len(args)-1]
	for i := len(conditions) - 1; i >= 0; i-- {
		out = choose(args[0].Type, conditions[i], args[i], out)
	}
	return out, nil
}

// choose returns x where the condition is true, else y.
func choose(t column.Type, condition, x, y Bound) Bound {
	e := Bound{Type: t, Constant: condition.Constant && x.Constant && y.Constant, Column: -1, Eval: func(m *Morsel) (*column.Column, error) {
		c, err := condition.Eval(m)
		if err != nil {
			return nil, err
		}
		if c.Len() == 1 && m.n != 1 {
			if valid, value := truth(c, 0, 2); valid&value != 0 {
				return x.Eval(m)
			}
			return y.Eval(m)
		}
		a, err := x.Eval(m)
		if err != nil {
			return nil, err
		}
		d, err := y.Eval(m)
		if err != nil {
			return nil, err
		}
		is := m.bitmap(c.Len())
		for k := range is.Words() {
			valid, value := truth(c, k, c.Len())
			is.SetWord(k, valid&value)
		}
		return chosen(m, t, is, a, d)
	}}
	e = e.using(condition, x, y)
	if condition.Constant { // the other is not computed, so that it cannot fail
		e.lower = func(l *Lowering) (lower.Value, error) {
			c, err := condition.Eval(&Morsel{n: 1})
			if err != nil {
				return lower.Value{}, err
			}
			valid, is := truth(c, 0, 1)
			l.Note("%v", valid&is&1)
			if valid&is&1 != 0 {
				return l.Of(x)
			}
			return l.Of(y)
		}
		return e
	}
	return e.on(func(l *Lowering, v []lower.Value) (lower.Value, error) { return l.Choose(v[0], v[1], v[2]) }, condition, x, y)
}

// chosen takes a where a bit is 1, else b.
func chosen(m *Morsel, t column.Type, is column.Bitmap, a, b *column.Column) (*column.Column, error) {
	n := is.Len()
	valid := column.Bitmap{}
	if a.Nulls() > 0 || b.Nulls() > 0 {
		valid = m.bitmap(n)
		for k := range valid.Words() {
			w := is.Word(k)
			valid.SetWord(k, w&validWord(a, k, n)|^w&validWord(b, k, n))
		}
	}
	switch {
	case t.IsString():
		out := column.NewBuilder(t, n)
		ia, ib := boolInt(a.Len() == n), boolInt(b.Len() == n)
		for i := range n {
			if is.Get(i) {
				out.Append(a, i*ia)
			} else {
				out.Append(b, i*ib)
			}
		}
		return out.Finish(), nil
	case t.Kind == column.Bool:
		out := m.bitmap(n)
		for k := range out.Words() {
			_, x := truth(a, k, n)
			_, y := truth(b, k, n)
			w := is.Word(k)
			out.SetWord(k, w&x|^w&y)
		}
		return column.Bools(out, valid)
	case t.Kind == column.Decimal128:
		out := column.NewBuilder(t, n)
		a, b = Spread(a, n), Spread(b, n)
		for i := range n {
			if is.Get(i) {
				out.Append(a, i)
			} else {
				out.Append(b, i)
			}
		}
		return out.Finish(), nil
	}
	c, err := column.Fixed(t, KernelsFor(t).choose(m, t, is, a, b), column.Bitmap{})
	if err != nil {
		return nil, err
	}
	return c.WithValidity(valid)
}

func validWord(c *column.Column, k, n int) uint64 {
	switch {
	case c.Len() != n:
		return -bit(!c.IsNull(0))
	case c.Nulls() == 0:
		return ^uint64(0)
	}
	return c.Validity().Word(k)
}

// isIn compares with each of a few values, and looks up strings.
func (b *Binder) isIn(n *Node) (Bound, error) {
	var listed []*Node
	null := false
	for _, a := range n.Args[1:] {
		if isLiteral(a) && Bare(a).Value == nil {
			null = true
			continue
		}
		listed = append(listed, a)
	}
	args, err := b.compared(append([]*Node{n.Args[0]}, listed...))
	if err != nil {
		return Bound{}, err
	}
	x := args[0]
	var out Bound
	if x.Type.IsString() && !x.Constant {
		set := map[string]bool{}
		for _, a := range args[1:] {
			if !a.Constant {
				return a, fmt.Errorf("the list holds a column; compare with it instead")
			}
			c, err := a.Eval(&Morsel{n: 1})
			if err != nil {
				return a, err
			}
			set[c.Text(0)] = true
		}
		out = single(column.Bool.Of(), x, func(m *Morsel, a *column.Column) (*column.Column, error) {
			return mapTexts(m, a, func(s string) bool { return set[s] }), nil
		})
	} else {
		no, _ := column.Bools(column.NewBitmap(1), column.Bitmap{})
		out = binary(column.Bool.Of(), x, constant(no), func(m *Morsel, a, c *column.Column) (*column.Column, error) {
			if a.Nulls() == 0 {
				return c, nil
			}
			return column.Bools(column.NewBitmap(a.Len()), a.Validity())
		}).on(func(l *Lowering, v []lower.Value) (lower.Value, error) {
			return lower.Value{Type: column.Bool.Of(), X: v[1].X, OK: v[0].OK}, nil
		}, x, constant(no))
		for _, a := range args[1:] {
			eq, err := comparison("eq", x, a)
			if err != nil {
				return eq, err
			}
			out = either(out, eq)
		}
	}
	if null {
		out = either(out, constant(column.Nulls(column.Bool.Of(), 1)))
	}
	return out, nil
}

// either is SQL's or.
func either(x, y Bound) Bound {
	return binary(column.Bool.Of(), x, y, func(m *Morsel, a, c *column.Column) (*column.Column, error) {
		n := length(m, a, c)
		out, valid := m.bitmap(n), m.bitmap(n)
		for k := range out.Words() {
			xv, xt := truth(a, k, n)
			yv, yt := truth(c, k, n)
			isTrue := xv&xt | yv&yt
			out.SetWord(k, isTrue)
			valid.SetWord(k, isTrue|xv&yv)
		}
		return column.Bools(out, valid)
	}).on(func(l *Lowering, v []lower.Value) (lower.Value, error) { return l.Logic(true, v[0], v[1]), nil }, x, y)
}
