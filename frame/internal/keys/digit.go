package keys

import (
	"context"
	"math"
	"unsafe"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/par"
)

// Order says how codes are to be ordered.
type Order struct {
	Sorted    bool // else only equality counts
	Desc      bool
	NullsLast bool
}

// Digit is the codes of a column: a number below Card for each row, or any of 64 bits where Card is 0.
type Digit struct {
	Card     uint64
	fill32   func(dst []uint32, lo int, mul uint32)
	fill64   func(dst []uint64, lo int, mul uint64)
	probe    func(c *column.Column) prober // codes of another column, and whether it has them
	Plain    []uint32                      // the codes themselves, where they are in memory
	Interned *Interned                     // of a column of strings
}

// prober writes dst*mul + code for rows from lo on, and sets miss where a value has no code.
type prober func(dst []uint64, miss []bool, lo int, mul uint64)

type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Digits returns the codes of a column.
func Digits(p par.Pool, c *column.Column, o Order) ([]Digit, error) {
	switch c.Type().Kind {
	case column.Bool:
		return ints(p, c, expand(c), o), nil
	case column.Int8:
		return ints(p, c, column.Values[int8](c), o), nil
	case column.Int16:
		return ints(p, c, column.Values[int16](c), o), nil
	case column.Int32, column.Date32:
		return ints(p, c, column.Values[int32](c), o), nil
	case column.Int64, column.Timestamp, column.Duration:
		return ints(p, c, column.Values[int64](c), o), nil
	case column.Uint8:
		return ints(p, c, column.Values[uint8](c), o), nil
	case column.Uint16:
		return ints(p, c, column.Values[uint16](c), o), nil
	case column.Uint32:
		return ints(p, c, column.Values[uint32](c), o), nil
	case column.Uint64:
		return ints(p, c, column.Values[uint64](c), o), nil
	case column.Float32:
		return ints(p, c, orders32(p, column.Values[float32](c)), o), nil
	case column.Float64:
		return ints(p, c, orders64(p, column.Values[float64](c)), o), nil
	case column.Decimal128:
		v := column.Values[column.Decimal](c)
		hi, lo := make([]int64, len(v)), make([]uint64, len(v))
		for i, d := range v {
			hi[i], lo[i] = d.Hi, d.Lo
		}
		return append(ints(p, c, hi, o), ints(p, c, lo, o)...), nil
	}
	in, err := Intern(p, c)
	if err != nil {
		return nil, err
	}
	codes := in.Codes
	if o.Sorted {
		ranks := in.Ranks()
		codes = make([]uint32, len(codes))
		err := p.Morsels(len(codes), func(_, lo, hi int) error {
			for i := lo; i < hi; i++ {
				if k := in.Codes[i]; int(k) < len(ranks) {
					codes[i] = ranks[k]
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	d := span(c, codes, 0, uint32(max(in.Count, 1)-1), o)
	d.Interned = in
	d.probe = in.prober(c.Nulls() > 0)
	return []Digit{d}, nil
}

// ints returns the digits of integers: one, or two where all 64 bits and a null are to be told apart.
func ints[T integer](p par.Pool, c *column.Column, v []T, o Order) []Digit {
	least, most := Range(p, c, v)
	if uint64(most)-uint64(least) == math.MaxUint64 && c.Nulls() > 0 {
		is := make([]uint8, len(v))
		for i := range is {
			if c.IsNull(i) == o.NullsLast {
				is[i] = 1
			}
		}
		flag := span(c.Slice(0, 0), is, 0, 1, Order{})
		flag.probe = func(other *column.Column) prober {
			valid := uint64(1)
			if o.NullsLast {
				valid = 0
			}
			return func(dst []uint64, miss []bool, lo int, mul uint64) {
				for i := range dst {
					dst[i] = dst[i]*mul + valid
					miss[i] = miss[i] || other.IsNull(lo+i)
				}
			}
		}
		clean := make([]T, len(v))
		for i := range v {
			if !c.IsNull(i) {
				clean[i] = v[i]
			}
		}
		whole := column.Nulls(c.Type(), 0)
		return []Digit{flag, span(whole, clean, least, most, o)}
	}
	return []Digit{span(c, v, least, most, o)}
}

// Range returns the least and greatest value that is not null, 0 and 0 without one.
func Range[T integer](p par.Pool, c *column.Column, v []T) (least, most T) {
	type pair struct {
		least, most T
		any         bool
	}
	parts := make([]pair, p.Stripes(len(v)))
	nulls := c.Nulls() > 0
	_ = p.Striped(len(v), func(k, lo, hi int) error {
		var a pair
		for i := lo; i < hi; i++ {
			if nulls && c.IsNull(i) {
				continue
			}
			if !a.any {
				a = pair{v[i], v[i], true}
			}
			if !nulls {
				for _, x := range v[i:hi] {
					a.least, a.most = min(a.least, x), max(a.most, x)
				}
				break
			}
			a.least, a.most = min(a.least, v[i]), max(a.most, v[i])
		}
		parts[k] = a
		return nil
	})
	seen := false
	for _, a := range parts {
		switch {
		case !a.any:
		case !seen:
			least, most, seen = a.least, a.most, true
		default:
			least, most = min(least, a.least), max(most, a.most)
		}
	}
	return least, most
}

// span returns the digit of integers from least to most, with a code for null if c has one.
func span[T integer](c *column.Column, v []T, least, most T, o Order) Digit {
	d := Digit{Card: uint64(most) - uint64(least) + 1}
	s := spanned[T]{v: v, base: uint64(least), desc: o.Desc}
	if o.Desc {
		s.base = uint64(most)
	}
	if c.Nulls() > 0 {
		s.valid = c.Validity()
		s.null, s.plus = 0, 1
		if o.NullsLast {
			s.null, s.plus = d.Card, 0
		}
		d.Card++
	} else if u, ok := any(v).([]uint32); ok && least == 0 && !o.Desc {
		d.Plain = u
	}
	d.fill32 = func(dst []uint32, lo int, mul uint32) { fill(s, dst, lo, mul) }
	d.fill64 = func(dst []uint64, lo int, mul uint64) { fill(s, dst, lo, mul) }
	span := uint64(most) - uint64(least)
	d.probe = func(c *column.Column) prober { return s.prober(c, span) }
	return d
}

type spanned[T integer] struct {
	v          []T
	base       uint64
	desc       bool
	valid      column.Bitmap
	null, plus uint64
}

func fill[T integer, D uint32 | uint64](s spanned[T], dst []D, lo int, mul D) {
	v := s.v[lo : lo+len(dst)]
	base, plus := D(s.base), D(s.plus)
	switch {
	case !s.valid.IsNone():
		for i, x := range v {
			code := D(s.null)
			if s.valid.Get(lo + i) {
				if code = D(x) - base; s.desc {
					code = -code
				}
				code += plus
			}
			dst[i] = dst[i]*mul + code
		}
	case s.desc:
		for i, x := range v {
			dst[i] = dst[i]*mul + base - D(x)
		}
	default:
		for i, x := range v {
			dst[i] = dst[i]*mul + D(x) - base
		}
	}
}

func (s spanned[T]) prober(c *column.Column, span uint64) prober {
	var v []T
	switch c.Type().Kind {
	case column.Bool:
		v = any(expand(c)).([]T)
	case column.Float32:
		v = any(orders32(one, column.Values[float32](c))).([]T)
	case column.Float64:
		v = any(orders64(one, column.Values[float64](c))).([]T)
	case column.Decimal128:
		return s.decimals(column.Values[column.Decimal](c), c, span)
	default:
		v = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(c.Data()))), c.Len())
	}
	nulls := c.Nulls() > 0
	return func(dst []uint64, miss []bool, lo int, mul uint64) {
		for i, x := range v[lo : lo+len(dst)] {
			code := uint64(x) - s.base
			if s.desc {
				code = -code
			}
			if code > span || nulls && c.IsNull(lo+i) {
				miss[i] = true
			}
			dst[i] = dst[i]*mul + code + s.plus
		}
	}
}

// decimals probes with the high words where T has a sign, else with the low ones.
func (s spanned[T]) decimals(v []column.Decimal, c *column.Column, span uint64) prober {
	var zero T
	high := zero-1 < 0
	return func(dst []uint64, miss []bool, lo int, mul uint64) {
		for i, x := range v[lo : lo+len(dst)] {
			code := x.Lo
			if high {
				code = uint64(x.Hi)
			}
			if code -= s.base; s.desc {
				code = -code
			}
			miss[i] = miss[i] || code > span || c.IsNull(lo+i)
			dst[i] = dst[i]*mul + code + s.plus
		}
	}
}

func (d *Interned) prober(nulls bool) func(*column.Column) prober {
	plus := uint64(0)
	if nulls {
		plus = 1
	}
	return func(c *column.Column) prober {
		if dict := c.Dictionary(); dict != nil {
			to := d.codesOf(dict)
			codes := column.Values[int32](c)
			return func(dst []uint64, miss []bool, lo int, mul uint64) {
				for i, k := range codes[lo : lo+len(dst)] {
					code := uint64(math.MaxUint64)
					if uint(k) < uint(len(to)) && !c.IsNull(lo+i) {
						code = to[k]
					}
					miss[i] = miss[i] || code == math.MaxUint64
					dst[i] = dst[i]*mul + code + plus
				}
			}
		}
		find := d.finder()
		return func(dst []uint64, miss []bool, lo int, mul uint64) {
			for i := range dst {
				code, ok := uint32(0), false
				if !c.IsNull(lo + i) {
					code, ok = find(c.Text(lo + i))
				}
				miss[i] = miss[i] || !ok
				dst[i] = dst[i]*mul + uint64(code) + plus
			}
		}
	}
}

// codesOf returns the number of each string of a dictionary, the greatest one for those that have none.
func (d *Interned) codesOf(dict *column.Column) []uint64 {
	to := make([]uint64, dict.Len())
	if dict == d.dict {
		for i := range to {
			to[i] = uint64(i)
		}
		return to
	}
	find := d.finder()
	for i := range to {
		to[i] = math.MaxUint64
		if code, ok := find(dict.Text(i)); ok {
			to[i] = uint64(code)
		}
	}
	return to
}

// order64 maps floats to integers of the same order: 0 and -0 to one, all NaN to the greatest.
func order64(x float64) uint64 {
	if x != x {
		return math.MaxUint64
	}
	if x == 0 {
		x = 0 // not -0
	}
	b := math.Float64bits(x)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

func order32(x float32) uint32 {
	if x != x {
		return math.MaxUint32
	}
	if x == 0 {
		x = 0
	}
	b := math.Float32bits(x)
	return b ^ (uint32(int32(b)>>31) | 1<<31)
}

func orders64(p par.Pool, v []float64) []uint64 {
	u := make([]uint64, len(v))
	_ = p.Morsels(len(v), func(_, lo, hi int) error {
		for i, x := range v[lo:hi] {
			u[lo+i] = order64(x)
		}
		return nil
	})
	return u
}

func orders32(p par.Pool, v []float32) []uint32 {
	u := make([]uint32, len(v))
	_ = p.Morsels(len(v), func(_, lo, hi int) error {
		for i, x := range v[lo:hi] {
			u[lo+i] = order32(x)
		}
		return nil
	})
	return u
}

func expand(c *column.Column) []uint8 {
	v := make([]uint8, c.Len())
	for i := range v {
		if c.Bits().Get(i) {
			v[i] = 1
		}
	}
	return v
}

func asUnsigned(v []int32) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(v))), len(v))
}

// one is a pool of one worker, for work that a caller waits for.
var one = par.Pool{Context: context.Background(), Workers: 1}

func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
