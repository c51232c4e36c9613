package host

import (
	"math"
	"math/bits"
	"sync"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/keys"
	"github.com/anycl/anycl/frame/internal/take"
)

// grouped is rows of which each belongs to a group, with the values computed of them.
type grouped struct {
	*Exec
	g   *keys.Groups
	n   int
	all []int64 // rows of each group, by number, once they were counted
}

// accumulate folds rows into one accumulator for each group. With few groups, each stripe of rows has accumulators of its own, and merge
// adds the accumulators of a later stripe to those of an earlier one; with many, each worker reads all rows and keeps some
// of the groups. The body handles groups from base on.
func accumulate[A any](x *grouped, body func(acc []A, base uint32, lo, hi int), merge func(to, from []A)) ([]A, error) {
	k := x.Pool.Stripes(x.n)
	if x.g.Slots <= 1<<14 || x.g.Slots*k < x.n/2 || k == 1 {
		parts := make([][]A, k)
		err := x.Pool.Striped(x.n, func(k, lo, hi int) error {
			parts[k] = make([]A, x.g.Slots)
			for ; lo < hi && x.g.IDs == nil; lo += ungrouped {
				body(parts[k], 0, lo, min(lo+ungrouped, hi))
			}
			if lo < hi {
				body(parts[k], 0, lo, hi)
			}
			return x.Pool.Context.Err()
		})
		if err != nil {
			return nil, err
		}
		for _, p := range parts[1:] {
			merge(parts[0], p)
		}
		return parts[0], nil
	}
	acc := make([]A, x.g.Slots)
	k = x.Pool.Workers
	return acc, x.Pool.Items(k, func(_, i int) error {
		lo, hi := i*x.g.Slots/k, (i+1)*x.g.Slots/k
		body(acc[lo:hi], uint32(lo), 0, x.n)
		return x.Pool.Context.Err()
	})
}

// ungrouped is how many rows without groups are taken at a time.
const ungrouped = 1 << 16

// noGroups are the numbers of rows that are all in one group.
var noGroups = sync.OnceValue(func() []uint32 { return make([]uint32, ungrouped) })

// ids returns the numbers of rows' groups. Without groups, these are at most ungrouped rows.
func (x *grouped) ids(lo, hi int) []uint32 {
	if x.g.IDs == nil {
		return noGroups()[:hi-lo]
	}
	return x.g.IDs[lo:hi]
}

// ordered returns accumulators in the order of groups.
func ordered[A any](x *grouped, acc []A) []A {
	if x.g.Order == nil {
		return acc
	}
	out := make([]A, len(x.g.Order))
	for i, id := range x.g.Order {
		out[i] = acc[id]
	}
	return out
}

func addAll[A expr.Number](to, from []A) {
	for i, v := range from {
		to[i] += v
	}
}

// counts returns how many values that are not null each group has, by number.
func (x *grouped) counts(valid column.Bitmap) ([]int64, error) {
	if valid.IsNone() {
		return x.sizes()
	}
	return accumulate(x, func(acc []int64, base uint32, lo, hi int) {
		for i, id := range x.ids(lo, hi) {
			if j := id - base; j < uint32(len(acc)) && valid.Get(lo+i) {
				acc[j]++
			}
		}
	}, addAll[int64])
}

// sizes returns how many rows each group has, by number. Nobody may write to it.
func (x *grouped) sizes() ([]int64, error) {
	if x.all != nil {
		return x.all, nil
	}
	if x.g.IDs == nil && x.g.Slots == 1 {
		x.all = []int64{int64(x.n)}
		return x.all, nil
	}
	var err error
	x.all, err = accumulate(x, func(acc []int64, base uint32, lo, hi int) {
		ids := x.ids(lo, hi)
		if few := len(acc); few <= fewSlots && base == 0 && few == x.g.Slots {
			var s [4][fewSlots]int64
			for ; len(ids) >= 4; ids = ids[4:] {
				s[0][ids[0]&(fewSlots-1)]++
				s[1][ids[1]&(fewSlots-1)]++
				s[2][ids[2]&(fewSlots-1)]++
				s[3][ids[3]&(fewSlots-1)]++
			}
			for j := range acc {
				acc[j] += s[0][j] + s[1][j] + s[2][j] + s[3][j]
			}
		}
		for _, id := range ids {
			if j := id - base; j < uint32(len(acc)) {
				acc[j]++
			}
		}
	}, addAll[int64])
	return x.all, err
}

// fewSlots is the number of groups, a power of two, up to which rows are added to four accumulators in turn, so that those of one group
// do not wait for each other.
const fewSlots = 64

// some returns the bitmap of the groups, in order, with at least least values; none if all have.
func (x *grouped) some(c *column.Column, least int64) (column.Bitmap, []int64, error) {
	if c.Nulls() == 0 && least <= 1 && x.n > 0 {
		return column.Bitmap{}, nil, nil
	}
	n, err := x.counts(c.Validity())
	if err != nil {
		return column.Bitmap{}, nil, err
	}
	n = ordered(x, n)
	b := column.NewBitmap(len(n))
	for i, k := range n {
		b.Set(i, k >= least)
	}
	return b, n, nil
}

// aggregate computes an aggregate; the result has a row for each group, in order.
func (x *grouped) aggregate(n *expr.Node, typ column.Type, args []*column.Column) (*column.Column, error) {
	if n.Op == "rows" || n.Op == "count" {
		valid := column.Bitmap{}
		if n.Op == "count" {
			valid = args[0].Validity()
		}
		c, err := x.counts(valid)
		return column.FixedOf(typ, ordered(x, c), column.Bitmap{}), err
	}
	c := args[0]
	switch n.Op {
	case "sum":
		return x.sum(c, typ)
	case "mean":
		return x.mean(c)
	case "var", "std":
		return x.variance(c, n.Op == "std")
	case "corr":
		return x.corr(args[0], args[1])
	case "quantile":
		return x.quantile(c, n.Value.(float64))
	case "nunique":
		return x.unique(c)
	case "any", "all":
		return x.truth(c, n.Op == "all")
	case "first", "last":
		rows, err := x.ends(n.Op == "last")
		if err != nil {
			return nil, err
		}
		return take.GatherFound(x.Pool, c, rows)
	case "argmin", "argmax":
		rows, err := x.extreme(args[1], n.Op == "argmax")
		if err != nil {
			return nil, err
		}
		return take.GatherFound(x.Pool, c, rows)
	}
	if c.Type().IsNumeric() || c.Type().IsTemporal() {
		return foldsFor(c.Type()).bound(x, c, n.Op == "max")
	}
	rows, err := x.extreme(c, n.Op == "max")
	if err != nil {
		return nil, err
	}
	return take.GatherFound(x.Pool, c, rows)
}

func (x *grouped) sum(c *column.Column, typ column.Type) (*column.Column, error) {
	valid, _, err := x.some(c, 1)
	if err != nil {
		return nil, err
	}
	switch c.Type().Kind {
	case column.Bool:
		acc, err := accumulate(x, func(acc []int64, base uint32, lo, hi int) {
			for i, id := range x.ids(lo, hi) {
				if j := id - base; j < uint32(len(acc)) && c.Bits().Get(lo+i) && !c.IsNull(lo+i) {
					acc[j]++
				}
			}
		}, addAll[int64])
		return column.FixedOf(typ, ordered(x, acc), valid), err
	case column.Decimal128:
		return x.wideSum(c, typ, valid)
	case column.Uint64:
		_, most := keys.Range(x.Pool, c, column.Values[uint64](c))
		if hi, _ := bits.Mul64(most, uint64(x.n)); hi > 0 {
			return x.wideSum(c, typ, valid)
		}
	case column.Int64, column.Duration:
		least, most := keys.Range(x.Pool, c, column.Values[int64](c))
		far := uint64(max(most, 0))
		if least < 0 {
			far = max(far, -uint64(least))
		}
		if hi, lo := bits.Mul64(far, uint64(x.n)); hi > 0 || lo > math.MaxInt64 {
			return x.wideSum(c, typ, valid)
		}
	}
	return foldsFor(c.Type()).sum(x, c, typ, valid)
}

// folds are the folds over values of one type.
type folds struct {
	sum    func(x *grouped, c *column.Column, typ column.Type, valid column.Bitmap) (*column.Column, error)
	floats func(x *grouped, c *column.Column) ([]float64, error) // sums as float64
	bound  func(x *grouped, c *column.Column, greatest bool) (*column.Column, error)
}

func foldsOf[T, A expr.Number]() folds { return folds{sumOf[T, A], sums[T, float64], boundOf[T]} }

// foldsFor returns the folds over values of a type.
func foldsFor(t column.Type) folds {
	switch t.Kind {
	case column.Int8:
		return foldsOf[int8, int64]()
	case column.Int16:
		return foldsOf[int16, int64]()
	case column.Int32, column.Date32:
		return foldsOf[int32, int64]()
	case column.Int64, column.Timestamp, column.Duration:
		return foldsOf[int64, int64]()
	case column.Uint8:
		return foldsOf[uint8, uint64]()
	case column.Uint16:
		return foldsOf[uint16, uint64]()
	case column.Uint32:
		return foldsOf[uint32, uint64]()
	case column.Uint64:
		return foldsOf[uint64, uint64]()
	case column.Float32:
		return foldsOf[float32, float64]()
	}
	return foldsOf[float64, float64]()
}

func sumOf[T expr.Number, A expr.Number](x *grouped, c *column.Column, typ column.Type, valid column.Bitmap) (*column.Column, error) {
	acc, err := sums[T, A](x, c)
	return column.FixedOf(typ, ordered(x, acc), valid), err
}

// sums adds the values of each group, by number.
func sums[T expr.Number, A expr.Number](x *grouped, c *column.Column) ([]A, error) {
	v := column.Values[T](c)
	return accumulate(x, func(acc []A, base uint32, lo, hi int) {
		part := v[lo:hi]
		switch {
		case c.Nulls() > 0:
			is := c.Validity()
			for i, id := range x.ids(lo, hi) {
				if j := id - base; j < uint32(len(acc)) && is.Get(lo+i) {
					acc[j] += A(part[i])
				}
			}
		case len(acc) == 1 && x.g.Slots == 1:
			acc[0] += total[T, A](part)
		default:
			ids := x.ids(lo, hi)
			part = part[:len(ids)]
			if few := len(acc); few <= fewSlots && base == 0 && few == x.g.Slots {
				var s [4][fewSlots]A
				for ; len(ids) >= 4 && len(part) >= 4; ids, part = ids[4:], part[4:] {
					s[0][ids[0]&(fewSlots-1)] += A(part[0])
					s[1][ids[1]&(fewSlots-1)] += A(part[1])
					s[2][ids[2]&(fewSlots-1)] += A(part[2])
					s[3][ids[3]&(fewSlots-1)] += A(part[3])
				}
				for j := range acc {
					acc[j] += (s[0][j] + s[1][j]) + (s[2][j] + s[3][j])
				}
			}
			for i, id := range ids {
				if j := id - base; j < uint32(len(acc)) {
					acc[j] += A(part[i])
				}
			}
		}
	}, addAll[A])
}

// total adds values in eight sums, which do not wait for each other.
func total[T expr.Number, A expr.Number](v []T) A {
	var s [8]A
	i := 0
	for ; i+8 <= len(v); i += 8 {
		w := v[i : i+8 : i+8]
		s[0] += A(w[0])
		s[1] += A(w[1])
		s[2] += A(w[2])
		s[3] += A(w[3])
		s[4] += A(w[4])
		s[5] += A(w[5])
		s[6] += A(w[6])
		s[7] += A(w[7])
	}
	for ; i < len(v); i++ {
		s[0] += A(v[i])
	}
	return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]))
}

// wideSum adds in 128 bits sums that 64 may not hold, and decimals.
func (x *grouped) wideSum(c *column.Column, typ column.Type, valid column.Bitmap) (*column.Column, error) {
	type wide struct {
		column.Decimal
		over bool
	}
	add := func(a *wide, d column.Decimal) {
		var ok bool
		a.Decimal, ok = expr.AddDecimals(a.Decimal, d)
		a.over = a.over || !ok
	}
	kind := c.Type().Kind
	acc, err := accumulate(x, func(acc []wide, base uint32, lo, hi int) {
		for i, id := range x.ids(lo, hi) {
			j := id - base
			if j >= uint32(len(acc)) || c.IsNull(lo+i) {
				continue
			}
			var d column.Decimal
			switch kind {
			case column.Decimal128:
				d = column.Values[column.Decimal](c)[lo+i]
			case column.Uint64:
				d.Lo = column.Values[uint64](c)[lo+i]
			default:
				v := column.Values[int64](c)[lo+i]
				d = column.Decimal{Lo: uint64(v), Hi: v >> 63}
			}
			add(&acc[j], d)
		}
	}, func(to, from []wide) {
		for i, a := range from {
			add(&to[i], a.Decimal)
			to[i].over = to[i].over || a.over
		}
	})
	if err != nil {
		return nil, err
	}
	acc = ordered(x, acc)
	if kind == column.Decimal128 {
		out := make([]column.Decimal, len(acc))
		for i, a := range acc {
			if a.over {
				return nil, expr.ErrDecimal
			}
			out[i] = a.Decimal
		}
		return column.FixedOf(typ, out, valid), nil
	}
	out := make([]uint64, len(acc))
	for i, a := range acc {
		if kind == column.Uint64 && a.Hi != 0 || kind != column.Uint64 && a.Hi != int64(a.Lo)>>63 {
			return nil, &overflow{typ}
		}
		out[i] = a.Lo
	}
	return column.FixedOf(typ, out, valid), nil
}

// asFloats returns a column of numbers as float64.
func (x *Exec) asFloats(c *column.Column) (*column.Column, error) {
	t := column.Float64.Of()
	e, err := expr.CastTo(expr.Bound{Type: c.Type(), Column: 0, Eval: func(m *expr.Morsel) (*column.Column, error) { return m.Cols[0], nil }},
		t, true)
	if err != nil {
		return nil, err
	}
	if c.Type() == t {
		return c, nil
	}
	out, err := x.Evaluate([]*column.Column{c}, c.Len(), []expr.Bound{e})
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

func (x *grouped) mean(c *column.Column) (*column.Column, error) {
	if !c.Type().IsNumeric() {
		var err error
		if c, err = x.asFloats(c); err != nil {
			return nil, err
		}
	}
	s, err := foldsFor(c.Type()).floats(x, c)
	if err != nil {
		return nil, err
	}
	n, err := x.counts(c.Validity())
	if err != nil {
		return nil, err
	}
	s, n = ordered(x, s), ordered(x, n)
	out, valid := make([]float64, len(s)), column.NewBitmap(len(s))
	for i := range s {
		out[i] = s[i] / float64(n[i])
		valid.Set(i, n[i] > 0)
	}
	return column.FixedOf(column.Float64.Of(), out, valid), nil
}

// variance adds squared distances from means, which takes two passes and loses no digits.
func (x *grouped) variance(c *column.Column, root bool) (*column.Column, error) {
	c, err := x.asFloats(c)
	if err != nil {
		return nil, err
	}
	s, err := foldsFor(c.Type()).floats(x, c)
	if err != nil {
		return nil, err
	}
	n, err := x.counts(c.Validity())
	if err != nil {
		return nil, err
	}
	for i := range s {
		s[i] /= float64(n[i])
	}
	v := column.Values[float64](c)
	is := c.Validity()
	m2, err := accumulate(x, func(acc []float64, base uint32, lo, hi int) {
		part := v[lo:hi]
		for i, id := range x.ids(lo, hi) {
			if j := id - base; j < uint32(len(acc)) && (is.IsNone() || is.Get(lo+i)) {
				d := part[i] - s[id]
				acc[j] += d * d
			}
		}
	}, addAll[float64])
	if err != nil {
		return nil, err
	}
	m2, n = ordered(x, m2), ordered(x, n)
	valid := column.NewBitmap(len(m2))
	for i := range m2 {
		valid.Set(i, n[i] > 1)
		m2[i] /= float64(n[i] - 1)
		if root {
			m2[i] = math.Sqrt(m2[i])
		}
	}
	return column.FixedOf(column.Float64.Of(), m2, valid), nil
}

func (x *grouped) corr(a, b *column.Column) (*column.Column, error) {
	a, err := x.asFloats(a)
	if err != nil {
		return nil, err
	}
	if b, err = x.asFloats(b); err != nil {
		return nil, err
	}
	is := column.And(a.Validity(), b.Validity())
	u, v := column.Values[float64](a), column.Values[float64](b)
	type moments struct{ n, x, y, xx, yy, xy float64 }
	each := func(f func(m *moments, id uint32, p, q float64)) ([]moments, error) {
		return accumulate(x, func(acc []moments, base uint32, lo, hi int) {
			for i, id := range x.ids(lo, hi) {
				if j := id - base; j < uint32(len(acc)) && (is.IsNone() || is.Get(lo+i)) {
					f(&acc[j], id, u[lo+i], v[lo+i])
				}
			}
		}, func(to, from []moments) {
			for i, m := range from {
				t := &to[i]
				t.n, t.x, t.y, t.xx, t.yy, t.xy = t.n+m.n, t.x+m.x, t.y+m.y, t.xx+m.xx, t.yy+m.yy, t.xy+m.xy
			}
		})
	}
	means, err := each(func(m *moments, _ uint32, p, q float64) { m.n, m.x, m.y = m.n+1, m.x+p, m.y+q })
	if err != nil {
		return nil, err
	}
	for i := range means {
		means[i].x /= means[i].n
		means[i].y /= means[i].n
	}
	products, err := each(func(m *moments, id uint32, p, q float64) {
		p, q = p-means[id].x, q-means[id].y
		m.n, m.xx, m.yy, m.xy = m.n+1, m.xx+p*p, m.yy+q*q, m.xy+p*q
	})
	if err != nil {
		return nil, err
	}
	products = ordered(x, products)
	out, valid := make([]float64, len(products)), column.NewBitmap(len(products))
	for i, m := range products {
		out[i] = m.xy / (math.Sqrt(m.xx) * math.Sqrt(m.yy))
		valid.Set(i, m.n > 1)
	}
	return column.FixedOf(column.Float64.Of(), out, valid), nil
}

func (x *grouped) truth(c *column.Column, all bool) (*column.Column, error) {
	valid, _, err := x.some(c, 1)
	if err != nil {
		return nil, err
	}
	hit, err := accumulate(x, func(acc []uint8, base uint32, lo, hi int) {
		for i, id := range x.ids(lo, hi) {
			if j := id - base; j < uint32(len(acc)) && !c.IsNull(lo+i) && c.Bits().Get(lo+i) != all {
				acc[j] = 1
			}
		}
	}, func(to, from []uint8) {
		for i, v := range from {
			to[i] |= v
		}
	})
	if err != nil {
		return nil, err
	}
	hit = ordered(x, hit)
	out := column.NewBitmap(len(hit))
	for i, v := range hit {
		out.Set(i, (v == 0) == all)
	}
	return column.Bools(out, valid)
}

// overflow is the error of a sum that its type does not hold.
type overflow struct{ typ column.Type }

func (e *overflow) Error() string {
	return "the sum overflows " + e.typ.String() + "; cast to float64 or a decimal first"
}
