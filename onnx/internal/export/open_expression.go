package export

import (
	"math"

	"github.com/anycl/anycl/tensor"
)

// expression computes a number of those sizes as a list of one; "": it is none that is looked for:
// an extent, a·extent + b, a·extent·extent, and a·extent·extent·extent, in whole numbers, or a part of an extent.
func (o *opener) expression(v [Samples]int64) string {
	for _, e := range o.extents {
		if e.sizes == v {
			return o.size(e)
		}
	}
	for _, e := range o.extents {
		d := e.sizes[0] - e.sizes[1]
		if d == 0 || (v[0]-v[1])%d != 0 {
			continue
		}
		a := (v[0] - v[1]) / d
		b := v[0] - a*e.sizes[0]
		if a != 0 && v[2] == a*e.sizes[2]+b {
			return o.plus(o.times(o.size(e), a), b)
		}
	}
	for _, e := range o.extents {
		if !o.divides || v[0] <= 0 {
			break
		}
		if c := e.sizes[0] / v[0]; c > 1 && v[0]*c == e.sizes[0] && v[1]*c == e.sizes[1] && v[2]*c == e.sizes[2] {
			return o.add("Div", []string{o.size(e), o.list64(c)})
		}
	}
	name := ""
	o.products(func(p product) bool {
		a := v[0] / max(p.sizes[0], 1)
		for k := range v {
			if a*p.sizes[k] != v[k] {
				return true
			}
		}
		name = o.times(o.of(p), a)
		return false
	})
	return name
}

// ratio computes numbers that are c·p or c/p of a product p of extents, as a scalar in a list of one.
func (o *opener) ratio(v [Samples]float64, dt tensor.DType) string {
	tolerance, only := 1e-14, 0.0 // that c must be; 0: any
	switch dt {
	case tensor.Float32:
		tolerance = 2e-7
	case tensor.Float16:
		tolerance, only = 1e-3, 1 // too coarse to tell
	case tensor.BFloat16:
		tolerance, only = 8e-3, 1
	}
	name := ""
	o.products(func(p product) bool {
		for _, op := range []string{"Div", "Mul"} {
			var c [Samples]float64
			for k := range v {
				if c[k] = v[k] * float64(p.sizes[k]); op == "Mul" {
					c[k] = v[k] / float64(p.sizes[k])
				}
			}
			if r := math.Round(c[0]); r != 0 && math.Abs(c[0]/r-1) <= tolerance { // as 1/n is meant
				c[0] = r
			}
			if math.Abs(c[1]/c[0]-1) > tolerance || math.Abs(c[2]/c[0]-1) > tolerance || only != 0 && c[0] != only {
				continue
			}
			t, err := tensor.Cast(tensor.Must(tensor.FromSlice([]float64{c[0]}, 1)), dt)
			if err != nil {
				return false
			}
			name = o.add(op, []string{o.initial("number "+t.String(), t), o.cast(o.of(p), dt)})
			return false
		}
		return true
	})
	return name
}

// product is of one to three extents.
type product struct {
	of    []extent
	sizes [Samples]int64
}

// products calls f with products of extents until it returns false, those of fewer first.
func (o *opener) products(f func(p product) bool) {
	const most = 24 // extents of which products are tried
	all := o.extents[:min(len(o.extents), most)]
	last := []product{{sizes: [Samples]int64{1, 1, 1}}}
	for range 3 {
		var next []product
		for _, p := range last {
			for _, e := range all {
				q := product{of: append(p.of[:len(p.of):len(p.of)], e)}
				for k := range q.sizes {
					q.sizes[k] = p.sizes[k] * e.sizes[k]
				}
				if !f(q) {
					return
				}
				next = append(next, q)
			}
		}
		last = next
	}
}

func (o *opener) of(p product) string {
	v := o.size(p.of[0])
	for _, e := range p.of[1:] {
		v = o.add("Mul", []string{v, o.size(e)})
	}
	return v
}

// size is an extent as a list of one.
func (o *opener) size(e extent) string {
	return o.add("Shape", []string{e.value}, anInt("start", e.axis), anInt("end", e.axis+1))
}

func (o *opener) times(v string, a int64) string {
	if a == 1 {
		return v
	}
	return o.add("Mul", []string{v, o.list64(a)})
}

func (o *opener) plus(v string, b int64) string {
	if b == 0 {
		return v
	}
	return o.add("Add", []string{v, o.list64(b)})
}
