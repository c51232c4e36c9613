package expr

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/lower"
	"github.com/anycl/anycl/frame/internal/table"
)

// Binder gives the columns of an expression their positions, and its parts their types.
type Binder struct {
	Schema []table.Field
	// special binds ops that are no functions of one row, where they are allowed: aggregates and functions of windows.
	special func(n *Node) (Bound, error)
}

// Bind binds an expression.
func (b *Binder) Bind(n *Node) (Bound, error) { return b.BindAs(n, column.Type{}) }

// BindAs binds an expression whose literals may take a type.
func (b *Binder) BindAs(n *Node, hint column.Type) (Bound, error) {
	e, err := b.bindOp(n, hint)
	if err != nil {
		return e, Wrong(n.Op, n.At, err)
	}
	if e.what == "" {
		e.what = n.Op
	}
	if e.Constant && n.Op != "lit" && len(n.Args) > 0 { // folded
		one := Morsel{n: 1}
		c, err := e.Eval(&one)
		if err != nil {
			return e, Wrong(n.Op, n.At, err)
		}
		return constant(c), nil
	}
	return e, nil
}

func constant(c *column.Column) Bound {
	return Bound{Type: c.Type(), Constant: true, Column: -1, Eval: func(*Morsel) (*column.Column, error) { return c, nil },
		lower: func(l *Lowering) (lower.Value, error) { return l.Constant(c) }}
}

func (b *Binder) bindOp(n *Node, hint column.Type) (Bound, error) {
	if b.special != nil && (Aggregates[n.Op] || WindowFunctions[n.Op]) {
		return b.special(n)
	}
	switch {
	case Aggregates[n.Op]:
		return Bound{}, errors.New("an aggregate is for Agg or Window")
	case WindowFunctions[n.Op]:
		return Bound{}, errors.New("a function of windows is for Window")
	}
	switch n.Op {
	case "zero":
		return Bound{}, errors.New("the expression is empty: begin one with Col or Lit")
	case "col":
		for i, f := range b.Schema {
			if f.Name == n.Name {
				return Bound{Type: f.Type, Column: i, Eval: func(m *Morsel) (*column.Column, error) { return m.Cols[i], nil },
					lower: func(l *Lowering) (lower.Value, error) { return l.Column(i) }, Uses: []int{i}}, nil
			}
		}
		return Bound{}, b.Missing(n.Name)
	case "lit":
		c, mixed, err := Literal(n.Value, hint)
		if err != nil {
			return Bound{}, err
		}
		e := constant(c)
		e.mixed = mixed
		return e, nil
	case "as":
		return b.BindAs(n.Args[0], hint)
	case "cast", "trycast":
		a, err := b.BindAs(n.Args[0], n.Type)
		if err != nil {
			return a, err
		}
		return CastTo(a, n.Type, n.Op == "cast")
	case "add", "sub", "mul", "div", "intdiv", "mod", "pow":
		return b.arithmetic(n, hint)
	case "eq", "ne", "lt", "le", "gt", "ge":
		args, err := b.compared(n.Args)
		if err != nil {
			return Bound{}, err
		}
		return comparison(n.Op, args[0], args[1])
	case "and", "or", "not":
		return b.logic(n)
	case "isnull", "isnotnull", "isnan":
		return b.nullTest(n)
	case "coalesce", "when", "nullif", "clip", "isin":
		return b.choice(n, hint)
	case "neg", "abs", "sqrt", "exp", "log", "floor", "ceil", "round":
		return b.unary(n, hint)
	case "year", "month", "day", "hour", "minute", "second", "weekday", "yearday", "quarter", "truncate", "epoch":
		return b.temporal(n)
	case "offset":
		return b.offset(n)
	}
	return b.text(n)
}

// Missing is the error of a name that is not in the schema.
func (b *Binder) Missing(name string) error {
	names := ""
	for i, f := range b.Schema {
		if i == 12 {
			names += ", ..."
			break
		}
		if i > 0 {
			names += ", "
		}
		names += f.Name
	}
	return fmt.Errorf("%w %q; there are: %s", ErrNoColumn, name, names)
}

// pair binds two operands and gives both the type that they have in common.
func (b *Binder) pair(l, r *Node, hint column.Type) (x, y Bound, err error) {
	all, err := b.same([]*Node{l, r}, hint)
	if err != nil {
		return x, y, err
	}
	return all[0], all[1], nil
}

// same binds operands and gives them the type that they have in common. Literals take that of the others.
func (b *Binder) same(nodes []*Node, hint column.Type) ([]Bound, error) {
	out, t, err := b.common(nodes, hint)
	if err != nil {
		return nil, err
	}
	return castAll(out, t)
}

// compared is same for operands that are compared, of which strings keep their layout: those of a dictionary are compared once for all rows
// that have them.
func (b *Binder) compared(nodes []*Node) ([]Bound, error) {
	out, t, err := b.common(nodes, column.Type{})
	if err != nil || t.IsString() {
		return out, err
	}
	return castAll(out, t)
}

func castAll(all []Bound, t column.Type) ([]Bound, error) {
	for i := range all {
		e, err := CastTo(all[i], t, true)
		if err != nil {
			return nil, err
		}
		all[i] = e
	}
	return all, nil
}

// common binds operands, and finds the type that they have in common.
func (b *Binder) common(nodes []*Node, hint column.Type) ([]Bound, column.Type, error) {
	out := make([]Bound, len(nodes))
	var t column.Type // that of all so far
	add := func(i int, n *Node, hint column.Type) (err error) {
		if out[i], err = b.BindAs(n, hint); err != nil {
			return err
		}
		if t.Kind == column.Invalid {
			t = out[i].Type
		} else {
			t, err = Unify(t, out[i].Type)
		}
		return err
	}
	for i, n := range nodes {
		if isLiteral(n) {
			continue
		}
		if err := add(i, n, hint); err != nil {
			return nil, t, err
		}
	}
	for pass := range 2 { // nulls last, since they have no type of their own
		for i, n := range nodes {
			if !isLiteral(n) || (Bare(n).Value == nil) != (pass == 1) {
				continue
			}
			beside := t
			if t.Kind == column.Invalid {
				beside = hint
			}
			if err := add(i, n, beside); err != nil {
				return nil, t, err
			}
		}
	}
	return out, t, nil
}

// Unify returns the type in which values of two types are combined.
func Unify(a, b column.Type) (column.Type, error) {
	switch {
	case a == b:
		return a, nil
	case a.IsString() && b.IsString():
		if a.Kind == column.Dictionary || b.Kind == column.String {
			a, b = b, a
		}
		return a, nil
	case a.IsNumeric() && b.IsNumeric():
		return UnifyNumbers(a, b)
	case a.Kind == column.Decimal128 && b.IsNumeric(), b.Kind == column.Decimal128 && a.IsNumeric(),
		a.Kind == column.Decimal128 && b.Kind == column.Decimal128:
		return column.Float64.Of(), nil
	case a.Kind == column.Date32 && b.Kind == column.Timestamp:
		return b, nil
	case b.Kind == column.Date32 && a.Kind == column.Timestamp:
		return a, nil
	case a.Kind == column.Timestamp && b.Kind == column.Timestamp && (a.Zone == "") == (b.Zone == ""),
		a.Kind == column.Duration && b.Kind == column.Duration:
		if b.Unit > a.Unit {
			a.Unit = b.Unit
		}
		return a, nil
	case a.Kind == column.Timestamp && b.Kind == column.Timestamp:
		return a, fmt.Errorf("%s and %s: only one has a zone; cast one of them", a, b)
	}
	return a, fmt.Errorf("%s and %s have no type in common; cast one of them", a, b)
}

// UnifyNumbers returns the type in which numbers of two types are combined.
func UnifyNumbers(a, b column.Type) (column.Type, error) {
	switch {
	case a.IsFloat() || b.IsFloat():
		narrow := func(t column.Type) bool { return t.Kind == column.Float32 || t.Width() <= 2 }
		if narrow(a) && narrow(b) {
			return column.Float32.Of(), nil
		}
		return column.Float64.Of(), nil
	case a.IsUnsigned() == b.IsUnsigned():
		if b.Width() > a.Width() {
			return b, nil
		}
		return a, nil
	}
	if a.IsUnsigned() {
		a, b = b, a
	}
	switch w := max(a.Width(), 2*b.Width()); w {
	case 2:
		return column.Int16.Of(), nil
	case 4:
		return column.Int32.Of(), nil
	case 8:
		return column.Int64.Of(), nil
	}
	return a, fmt.Errorf("%s and %s have no integer type in common; cast one of them", a, b)
}

// Literal returns a column of one value, of the type of the hint if that has it. Mixed says that the type is of little importance.
func Literal(v any, hint column.Type) (c *column.Column, mixed bool, err error) {
	switch v := v.(type) {
	case nil:
		if hint.Kind == column.Invalid {
			return nil, false, errors.New("a null needs a type: use Lit(nil).Cast")
		}
		return column.Nulls(hint, 1), false, nil
	case bool:
		return column.Of([]bool{v}), false, nil
	case string:
		c = column.Of([]string{v})
		if hint.IsTemporal() {
			c, err = Cast(c, hint, true)
		}
		return c, false, err
	case float32:
		return Literal(float64(v), hint)
	case float64:
		if hint.Kind == column.Float32 {
			return column.Of([]float32{float32(v)}), true, nil
		}
		return column.Of([]float64{v}), true, nil
	case time.Duration:
		if hint.Kind != column.Duration || int64(v)%int64(hint.Unit.Duration()) != 0 {
			return column.Of([]time.Duration{v}), false, nil
		}
		return one(hint, int64(v)/int64(hint.Unit.Duration())), false, nil
	case time.Time:
		c, err = instantLiteral(v, hint)
		return c, false, err
	}
	i, u, ok := integerOf(v)
	switch {
	case !ok:
		return nil, false, fmt.Errorf("a %T is no value of a column", v)
	case u > math.MaxInt64:
		return column.Of([]uint64{u}), false, nil
	case hint.IsInteger() && lower.Fits(i, hint), hint.IsFloat():
		return one(hint, i), true, nil
	}
	return column.Of([]int64{i}), true, nil
}

// one is a column of a value.
func one(t column.Type, v int64) *column.Column {
	b := column.NewBuilder(t, 1)
	b.Int(v)
	return b.Finish()
}

// instantLiteral is [Literal] of a time: a date, or a timestamp of the hint's unit, if it is one, and else of nanoseconds.
func instantLiteral(v time.Time, hint column.Type) (*column.Column, error) {
	_, offset := v.Zone()
	switch {
	case hint.Kind == column.Date32 && offset == 0 && v.Unix()%86400 == 0 && v.Nanosecond() == 0:
		return one(hint, v.Unix()/86400), nil
	case hint.Kind == column.Timestamp && int64(v.Nanosecond())%int64(hint.Unit.Duration()) == 0:
		if s, per := v.Unix(), hint.Unit.PerSecond(); s < math.MaxInt64/per && s > math.MinInt64/per {
			return one(hint, s*per+int64(v.Nanosecond())/int64(hint.Unit.Duration())), nil
		}
	}
	c := column.Of([]time.Time{v})
	if c.Nulls() > 0 {
		return nil, fmt.Errorf("nanoseconds of 64 bits do not reach %v", v)
	}
	if hint.Kind == column.Timestamp || hint.Kind == column.Date32 {
		return c.WithType(column.Type{Kind: column.Timestamp, Unit: column.Nanosecond, Zone: hint.Zone})
	}
	return c, nil
}

// integerOf is a Go integer, as u where it has no sign and else as i, which also has those without sign that it can hold.
func integerOf(v any) (i int64, u uint64, ok bool) {
	switch v := v.(type) {
	case int:
		i = int64(v)
	case int8:
		i = int64(v)
	case int16:
		i = int64(v)
	case int32:
		i = int64(v)
	case int64:
		i = v
	case uint8:
		u = uint64(v)
	case uint16:
		u = uint64(v)
	case uint32:
		u = uint64(v)
	case uint64:
		u = v
	case uint:
		u = uint64(v)
	default:
		return 0, 0, false
	}
	if u > 0 {
		i = int64(u)
	}
	return i, u, true
}

// anyNull returns the null that stands for all rows, if one of the columns is one.
func anyNull(t column.Type, cols ...*column.Column) *column.Column {
	for _, c := range cols {
		if c.Len() == 1 && c.IsNull(0) {
			return column.Nulls(t, 1)
		}
	}
	return nil
}

// bothValid returns the validity of a value that is null where one of the columns is.
func bothValid(n int, cols ...*column.Column) column.Bitmap {
	var v column.Bitmap
	for _, c := range cols {
		if c.Len() == n {
			v = column.And(v, c.Validity())
		}
	}
	return v
}
