package expr

import (
	"fmt"
	"strings"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/lower"
)

// comparison compares values of one type.
func comparison(op string, x, y Bound) (Bound, error) {
	t := x.Type
	result := column.Bool.Of()
	switch {
	case t.IsNumeric() || t.IsTemporal():
		k := KernelsFor(t)
		return binary(result, x, y, func(m *Morsel, a, b *column.Column) (*column.Column, error) {
			return k.compare(m, op, a, b), nil
		}).on(func(l *Lowering, v []lower.Value) (lower.Value, error) { return l.Compare(op, v[0], v[1]), nil }, x, y), nil
	case t.IsString():
		return binary(result, x, y, func(m *Morsel, a, b *column.Column) (*column.Column, error) {
			return compareStrings(m, op, a, b), nil
		}), nil
	}
	order := func(a *column.Column, i int, b *column.Column, j int) int {
		return boolInt(a.Bits().Get(i)) - boolInt(b.Bits().Get(j))
	}
	if t.Kind == column.Decimal128 {
		order = func(a *column.Column, i int, b *column.Column, j int) int {
			return compareDecimals(column.Values[column.Decimal](a)[i], column.Values[column.Decimal](b)[j])
		}
	}
	e := binary(result, x, y, func(m *Morsel, a, b *column.Column) (*column.Column, error) {
		return comparePairs(m, op, a, b, order), nil
	})
	if t.Kind == column.Bool {
		e = e.on(func(l *Lowering, v []lower.Value) (lower.Value, error) { return l.Compare(op, v[0], v[1]), nil }, x, y)
	}
	return e, nil
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func compareDecimals(a, b column.Decimal) int {
	switch {
	case a == b:
		return 0
	case a.Hi < b.Hi || a.Hi == b.Hi && a.Lo < b.Lo:
		return -1
	}
	return 1
}

func holds(op string, order int) bool {
	switch op {
	case "eq":
		return order == 0
	case "ne":
		return order != 0
	case "lt":
		return order < 0
	case "le":
		return order <= 0
	case "gt":
		return order > 0
	}
	return order >= 0
}

func comparePairs(m *Morsel, op string, a, b *column.Column,
	order func(a *column.Column, i int, b *column.Column, j int) int) *column.Column {
	if c := anyNull(column.Bool.Of(), a, b); c != nil {
		return c
	}
	n := length(m, a, b)
	ia, ib := boolInt(a.Len() == n), boolInt(b.Len() == n)
	out, valid := m.bitmap(n), bothValid(n, a, b)
	for k := range out.Words() {
		var w uint64
		for i := 64 * k; i < min(64*k+64, n); i++ {
			if valid.IsNone() || valid.Get(i) {
				w |= bit(holds(op, order(a, i*ia, b, i*ib))) << (i & 63)
			}
		}
		out.SetWord(k, w)
	}
	c, _ := column.Bools(out, valid)
	return c
}

func compareStrings(m *Morsel, op string, a, b *column.Column) *column.Column {
	if c := anyNull(column.Bool.Of(), a, b); c != nil {
		return c
	}
	if a.Dictionary() != nil && b.Len() == 1 && m.n > 1 { // each entry once
		s := b.Text(0)
		return mapCodes(m, a, func(e string) bool { return holds(op, strings.Compare(e, s)) })
	}
	if a.Len() == 1 && b.Len() > 1 { // the constant to the right
		op = map[string]string{"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}[op]
		return compareStrings(m, op, b, a)
	}
	if b.Len() == 1 && a.Len() > 1 {
		s := b.Text(0)
		if op == "eq" || op == "ne" {
			return mapTexts(m, a, func(e string) bool { return (e == s) == (op == "eq") })
		}
		return mapTexts(m, a, func(e string) bool { return holds(op, strings.Compare(e, s)) })
	}
	return comparePairs(m, op, a, b, func(a *column.Column, i int, b *column.Column, j int) int {
		return strings.Compare(a.Text(i), b.Text(j))
	})
}

// mapTexts computes a predicate of strings.
func mapTexts(m *Morsel, a *column.Column, f func(string) bool) *column.Column {
	if a.Dictionary() != nil && a.Len() > a.Dictionary().Len()/4 {
		return mapCodes(m, a, f)
	}
	n := a.Len()
	out := m.bitmap(n)
	for k := range out.Words() {
		var w uint64
		for i := 64 * k; i < min(64*k+64, n); i++ {
			if !a.IsNull(i) {
				w |= bit(f(a.Text(i))) << (i & 63)
			}
		}
		out.SetWord(k, w)
	}
	c, _ := column.Bools(out, a.Validity())
	return c
}

func mapCodes(m *Morsel, a *column.Column, f func(string) bool) *column.Column {
	dict := a.Dictionary()
	is := scratch[uint8](m, dict.Len()) // 0: not known yet
	clear(is)
	codes := column.Values[int32](a)
	out := m.bitmap(len(codes))
	for k := range out.Words() {
		var w uint64
		for i := 64 * k; i < min(64*k+64, len(codes)); i++ {
			code := codes[i]
			if uint(code) >= uint(len(is)) {
				continue // null
			}
			if is[code] == 0 {
				is[code] = 1 + uint8(bit(f(dict.Text(int(code)))))
			}
			w |= uint64(is[code]-1) << (i & 63)
		}
		out.SetWord(k, w)
	}
	c, _ := column.Bools(out, a.Validity())
	return c
}

func (b *Binder) logic(n *Node) (Bound, error) {
	var args []Bound
	for _, a := range n.Args {
		e, err := b.BindAs(a, column.Bool.Of())
		if err != nil {
			return e, err
		}
		if e.Type.Kind != column.Bool {
			return e, fmt.Errorf("%s is no bool", e.Type)
		}
		args = append(args, e)
	}
	t := column.Bool.Of()
	if n.Op == "not" {
		return single(t, args[0], func(m *Morsel, a *column.Column) (*column.Column, error) {
			out := m.bitmap(a.Len())
			for k := range out.Words() {
				out.SetWord(k, ^a.Bits().Word(k))
			}
			return column.Bools(out, a.Validity())
		}).on(func(l *Lowering, v []lower.Value) (lower.Value, error) { return l.Not(v[0]), nil }, args[0]), nil
	}
	or := n.Op == "or"
	return binary(t, args[0], args[1], func(m *Morsel, x, y *column.Column) (*column.Column, error) {
		n := length(m, x, y)
		out, valid := m.bitmap(n), m.bitmap(n)
		for k := range out.Words() {
			xv, xt := truth(x, k, n)
			yv, yt := truth(y, k, n)
			xTrue, yTrue, xFalse, yFalse := xv&xt, yv&yt, xv&^xt, yv&^yt
			isTrue, isFalse := xTrue&yTrue, xFalse|yFalse
			if or {
				isTrue, isFalse = xTrue|yTrue, xFalse&yFalse
			}
			out.SetWord(k, isTrue)
			valid.SetWord(k, isTrue|isFalse)
		}
		return column.Bools(out, valid)
	}).on(func(l *Lowering, v []lower.Value) (lower.Value, error) { return l.Logic(or, v[0], v[1]), nil }, args...), nil
}

// truth returns word k of the bits that tell which rows are not null, and of the bits that tell which are true, for a column of n rows or
// of one value for all of them.
func truth(c *column.Column, k, n int) (valid, value uint64) {
	if c.Len() != n {
		return -bit(!c.IsNull(0)), -bit(c.Bits().Get(0))
	}
	valid = ^uint64(0)
	if c.Nulls() > 0 {
		valid = c.Validity().Word(k)
	}
	return valid, c.Bits().Word(k)
}

func (b *Binder) nullTest(n *Node) (Bound, error) {
	x, err := b.Bind(n.Args[0])
	if err != nil {
		return x, err
	}
	if n.Op == "isnan" {
		if !x.Type.IsFloat() {
			return x, fmt.Errorf("%s has no NaN", x.Type)
		}
		return single(column.Bool.Of(), x, func(m *Morsel, a *column.Column) (*column.Column, error) {
			out := m.bitmap(a.Len())
			for i := range a.Len() {
				if a.Type().Kind == column.Float32 {
					v := column.Values[float32](a)[i]
					out.Set(i, v != v)
				} else {
					v := column.Values[float64](a)[i]
					out.Set(i, v != v)
				}
			}
			return column.Bools(out, a.Validity())
		}).on(func(l *Lowering, v []lower.Value) (lower.Value, error) { return l.IsNaN(v[0]), nil }, x), nil
	}
	flip := uint64(0)
	if n.Op == "isnull" {
		flip = ^uint64(0)
	}
	return single(column.Bool.Of(), x, func(m *Morsel, a *column.Column) (*column.Column, error) {
		out := m.bitmap(a.Len())
		for k := range out.Words() {
			w := ^uint64(0)
			if a.Nulls() > 0 {
				w = a.Validity().Word(k)
			}
			out.SetWord(k, w^flip)
		}
		return column.Bools(out, column.Bitmap{})
	}).on(func(l *Lowering, v []lower.Value) (lower.Value, error) { return l.IsNull(v[0], n.Op == "isnull"), nil }, x), nil
}

// Compare compares two values of a column that are no strings and no floats.
func Compare(c *column.Column, i, j int) int {
	m := &Morsel{n: c.Len()}
	if c.Type().Kind == column.Bool {
		return boolInt(c.Bits().Get(i)) - boolInt(c.Bits().Get(j))
	}
	if c.Type().Kind == column.Decimal128 {
		v := column.Values[column.Decimal](c)
		return compareDecimals(v[i], v[j])
	}
	a, u, _ := KernelsFor(c.Type()).Widen(m, c)
	if u != nil {
		return boolInt(u[i] > u[j]) - boolInt(u[i] < u[j])
	}
	return boolInt(a[i] > a[j]) - boolInt(a[i] < a[j])
}
