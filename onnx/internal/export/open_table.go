package export

import (
	"slices"

	"github.com/anycl/anycl/tensor"
)

// axisSizes are the extents of tensors on an axis.
func axisSizes(x [Samples]*tensor.Tensor, axis int) (s [Samples]int64) {
	for k := range x {
		s[k] = int64(x[k].Shape()[axis])
	}
	return s
}

// shapeOf computes the shape of tensors as a list; "": it cannot be.
func (o *opener) shapeOf(x [Samples]*tensor.Tensor) string {
	var parts []string
	for a := range x[0].Rank() {
		s := axisSizes(x, a)
		part := ""
		if !differ(s) {
			part = o.list64(s[0])
		} else if part = o.expression(s); part == "" {
			return ""
		}
		parts = append(parts, part)
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return o.add("Concat", parts, anInt("axis", 0))
}

// repeated computes tensors of one number.
func (o *opener) repeated(x [Samples]*tensor.Tensor) string {
	if x[0].Len() == 0 {
		return ""
	}
	v := x[0].Float64At(0)
	for _, t := range x {
		for _, e := range t.All() {
			if e != v && (e == e || v == v) {
				return ""
			}
		}
	}
	one, err := x[0].Reshape(x[0].Len())
	if err == nil {
		one, err = one.Slice(0, 0, 1, 1)
	}
	shape := o.shapeOf(x)
	if err != nil || shape == "" {
		return ""
	}
	one = one.Contiguous()
	return o.add("Expand", []string{o.initial("one "+one.String(), one), shape})
}

// progression computes a, a+b, a+2b, ... along one axis, where all others have the extent 1.
func (o *opener) progression(x [Samples]*tensor.Tensor) string {
	axis := -1
	for a := range x[0].Rank() {
		s := axisSizes(x, a)
		switch {
		case differ(s) && axis < 0:
			axis = a
		case s != [Samples]int64{1, 1, 1}:
			return ""
		}
	}
	if axis < 0 || x[0].Len() < 2 {
		return ""
	}
	a, b := x[0].Float64At(0), x[0].Float64At(1)-x[0].Float64At(0)
	if !isWhole(a) || !isWhole(b) {
		return ""
	}
	for _, t := range x {
		for i, v := range t.All() {
			if v != a+b*float64(i) {
				return ""
			}
		}
	}
	n := o.expression(axisSizes(x, axis))
	if n == "" {
		return ""
	}
	v := o.plus(o.times(o.count(n), int64(b)), int64(a))
	shape := slices.Repeat([]int{1}, x[0].Rank())
	shape[axis] = -1
	return o.cast(o.shaped(v, shape), x[0].DType())
}

// count is 0, 1, 2, ... below n, a list of one.
func (o *opener) count(n string) string {
	none := o.list64()
	scalar := func(v string) string { return o.add("Reshape", []string{v, none}) }
	return o.add("Range", []string{scalar(o.list64(0)), scalar(n), scalar(o.list64(1))})
}

// band computes a matrix of truth values that are true where the column less the row is between two bounds.
func (o *opener) band(x [Samples]*tensor.Tensor) string {
	if x[0].Rank() != 2 || x[0].DType() != tensor.Bool {
		return ""
	}
	var low, high, rows, columns [Samples]int64
	for k, t := range x {
		seen, err := tensor.ToSlice[bool](t)
		m, n := t.Shape()[0], t.Shape()[1]
		if err != nil || m == 0 || n == 0 {
			return ""
		}
		at := func(d int) bool { return seen[max(-d, 0)*n+max(d, 0)] } // the first on a diagonal
		first, last := -(m - 1), n-1
		for first < n && !at(first) {
			first++
		}
		for last >= first && !at(last) {
			last--
		}
		if last < first {
			return ""
		}
		for i := range m {
			for j := range n {
				if seen[i*n+j] != (j-i >= first && j-i <= last) {
					return ""
				}
			}
		}
		low[k], high[k], rows[k], columns[k] = int64(first), int64(last), int64(m), int64(n)
	}
	place := func(s [Samples]int64, shape ...int) string {
		n := o.list64(s[0])
		if differ(s) {
			n = o.expression(s)
		}
		if n == "" {
			return ""
		}
		return o.shaped(o.count(n), shape)
	}
	i, j := place(rows, -1, 1), place(columns, 1, -1)
	lowest, highest := o.bound(low), o.bound(high)
	if i == "" || j == "" || lowest == "" || highest == "" {
		return ""
	}
	d := o.add("Sub", []string{j, i})
	return o.add("And", []string{o.add("GreaterOrEqual", []string{d, lowest}), o.add("LessOrEqual", []string{d, highest})})
}

// bound is a number that may depend on extents, as a list of one.
func (o *opener) bound(s [Samples]int64) string {
	if !differ(s) {
		return o.list64(s[0])
	}
	return o.expression(s)
}
