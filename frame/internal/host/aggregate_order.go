package host

import (
	"math"
	"math/bits"
	"slices"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/keys"
)

// boundOf returns the least or greatest value of each group.
func boundOf[T expr.Number](x *grouped, c *column.Column, greatest bool) (*column.Column, error) {
	type best struct {
		v    T
		seen bool
	}
	v, is := column.Values[T](c), c.Validity()
	acc, err := accumulate(x, func(acc []best, base uint32, lo, hi int) {
		part := v[lo:hi]
		if greatest {
			for i, id := range x.ids(lo, hi) {
				j := id - base
				if j >= uint32(len(acc)) || !is.IsNone() && !is.Get(lo+i) {
					continue
				}
				if a := &acc[j]; !a.seen || part[i] > a.v || part[i] != part[i] {
					*a = best{part[i], true}
				}
			}
			return
		}
		for i, id := range x.ids(lo, hi) {
			j := id - base
			if j >= uint32(len(acc)) || !is.IsNone() && !is.Get(lo+i) {
				continue
			}
			if a := &acc[j]; !a.seen || part[i] < a.v || a.v != a.v {
				*a = best{part[i], true}
			}
		}
	}, func(to, from []best) {
		for i, b := range from {
			switch a := &to[i]; {
			case !b.seen:
			case !a.seen,
				greatest && (b.v > a.v || b.v != b.v),
				!greatest && (b.v < a.v || a.v != a.v):
				*a = b
			}
		}
	})
	if err != nil {
		return nil, err
	}
	acc = ordered(x, acc)
	out, valid := make([]T, len(acc)), column.NewBitmap(len(acc))
	for i, a := range acc {
		out[i] = a.v
		valid.Set(i, a.seen)
	}
	return column.FixedOf(c.Type(), out, valid), nil
}

// extreme returns for each group the row + 1 in which a column is least or greatest, the first of several, or 0.
func (x *grouped) extreme(c *column.Column, greatest bool) ([]uint32, error) {
	ranks, err := x.ranks(c)
	if err != nil {
		return nil, err
	}
	better := func(row, old uint32) bool {
		a, b := ranks[row-1], ranks[old-1]
		return greatest && a > b || !greatest && a < b
	}
	acc, err := accumulate(x, func(acc []uint32, base uint32, lo, hi int) {
		for i, id := range x.ids(lo, hi) {
			j := id - base
			if j >= uint32(len(acc)) || c.IsNull(lo+i) {
				continue
			}
			if row := uint32(lo + i + 1); acc[j] == 0 || better(row, acc[j]) {
				acc[j] = row
			}
		}
	}, func(to, from []uint32) {
		for i, row := range from {
			if row != 0 && (to[i] == 0 || better(row, to[i])) {
				to[i] = row
			}
		}
	})
	return ordered(x, acc), err
}

// ranks returns integers in the order of a column's values.
func (x *Exec) ranks(c *column.Column) ([]uint64, error) {
	digits, err := keys.Digits(x.Pool, c, keys.Order{Sorted: true})
	if err != nil {
		return nil, err
	}
	return keys.Ranks(x.Pool, digits, c.Len())
}

// ends returns the first or last row + 1 of each group, 0 for a group without rows.
func (x *grouped) ends(last bool) ([]uint32, error) {
	acc, err := accumulate(x, func(acc []uint32, base uint32, lo, hi int) {
		for i, id := range x.ids(lo, hi) {
			if j := id - base; j < uint32(len(acc)) && (last || acc[j] == 0) {
				acc[j] = uint32(lo + i + 1)
			}
		}
	}, func(to, from []uint32) {
		for i, row := range from {
			if row != 0 && (last || to[i] == 0) {
				to[i] = row
			}
		}
	})
	return ordered(x, acc), err
}

// unique counts the different values of each group that are not null: the groups by group and value.
func (x *grouped) unique(c *column.Column) (*column.Column, error) {
	digits, err := keys.Digits(x.Pool, c, keys.Order{})
	if err != nil {
		return nil, err
	}
	if x.g.IDs != nil {
		digits = append([]keys.Digit{keys.Numbers(x.g.IDs, x.g.Slots)}, digits...)
	}
	pairs, err := keys.Group(x.Pool, digits, x.n)
	if err != nil {
		return nil, err
	}
	acc := make([]int64, x.g.Slots)
	for _, row := range pairs.First {
		if !c.IsNull(int(row)) {
			acc[x.ids(int(row), int(row)+1)[0]]++
		}
	}
	return column.FixedOf(column.Int64.Of(), ordered(x, acc), column.Bitmap{}), nil
}

// quantile brings the values of each group together and selects two neighbours among them.
func (x *grouped) quantile(c *column.Column, q float64) (*column.Column, error) {
	c, err := x.asFloats(c)
	if err != nil {
		return nil, err
	}
	n, err := x.counts(c.Validity())
	if err != nil {
		return nil, err
	}
	start := make([]int, len(n)+1)
	for i, k := range n {
		start[i+1] = start[i] + int(k)
	}
	values, err := x.together(column.Values[float64](c), c.Validity(), start)
	if err != nil {
		return nil, err
	}
	out, valid := make([]float64, x.g.Slots), make([]bool, x.g.Slots)
	const block = 256
	err = x.Pool.Items((x.g.Slots+block-1)/block, func(_, k int) error {
		for i := k * block; i < min((k+1)*block, x.g.Slots); i++ {
			out[i], valid[i] = quantileOf(values[start[i]:start[i+1]], q)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return column.FixedOf(column.Float64.Of(), ordered(x, out), column.BitmapOfBools(ordered(x, valid))), nil
}

// together returns the values that are not null, those of group i from start[i] on.
func (x *grouped) together(v []float64, is column.Bitmap, start []int) ([]float64, error) {
	out := make([]float64, start[len(start)-1])
	k := x.Pool.Workers
	return out, x.Pool.Items(k, func(_, w int) error { // each worker has groups with an equal share of the rows
		share := func(w int) uint32 {
			want, lo, hi := w*len(out)/k, 0, x.g.Slots
			for lo < hi {
				if mid := (lo + hi) / 2; start[mid] < want {
					lo = mid + 1
				} else {
					hi = mid
				}
			}
			return uint32(lo)
		}
		base, end := share(w), share(w+1)
		if w == k-1 {
			end = uint32(x.g.Slots)
		}
		at := append([]int{}, start[base:end]...)
		for lo := 0; lo < x.n; lo += ungrouped {
			for i, id := range x.ids(lo, min(lo+ungrouped, x.n)) {
				if j := id - base; j < uint32(len(at)) && (is.IsNone() || is.Get(lo+i)) {
					out[at[j]] = v[lo+i]
					at[j]++
				}
			}
		}
		return x.Pool.Context.Err()
	})
}

// quantileOf reorders v. NaN is above all other numbers.
func quantileOf(v []float64, q float64) (float64, bool) {
	if len(v) == 0 || q != q {
		return 0, false
	}
	numbers := len(v)
	for i := 0; i < numbers; {
		if v[i] != v[i] {
			numbers--
			v[i], v[numbers] = v[numbers], v[i]
		} else {
			i++
		}
	}
	at := q * float64(len(v)-1)
	k := int(math.Floor(at))
	share := at - float64(k)
	if k >= numbers {
		return math.NaN(), true
	}
	selectNth(v[:numbers], k)
	low := v[k]
	if share == 0 {
		return low, true
	}
	if k+1 >= numbers {
		return math.NaN(), true
	}
	high := v[k+1]
	for _, w := range v[k+2 : numbers] {
		high = min(high, w)
	}
	if low == high {
		return low, true
	}
	return low + (high-low)*share, true
}

// selectNth moves the value with k less or equal ones before it to position k. Source: Hoare, Algorithm 65: Find (1961), with
// the median of three as pivot, and a heap where the pivots are bad.
func selectNth(v []float64, k int) {
	for limit := 2 * bits.Len(uint(len(v))); len(v) > 16; limit-- {
		if limit == 0 {
			break
		}
		a, b, c := v[0], v[len(v)/2], v[len(v)-1]
		p := max(min(a, b), min(max(a, b), c))
		i, j := 0, len(v)-1
		for i <= j {
			for v[i] < p {
				i++
			}
			for v[j] > p {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			v = v[:j+1]
		case k >= i:
			v, k = v[i:], k-i
		default:
			return
		}
	}
	slices.Sort(v)
}
