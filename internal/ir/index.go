package ir

import (
	"slices"

	"github.com/anycl/anycl/engine"
)

// RowMajor is the address of element (i0, i1, ...) of a tensor whose axes lie
// in memory in the given order, outermost first; nil is the order they have.
func RowMajor(shape, order []int) *engine.Index {
	if order == nil {
		order = Range(0, len(shape))
	}
	addr, stride := engine.ConstIndex(0), int64(1)
	for _, a := range slices.Backward(order) {
		if shape[a] != 1 {
			addr = addr.Add(engine.AxisIndex(a).Mul(stride))
		}
		stride *= int64(shape[a])
	}
	return addr
}

// ReshapeIndex sends coordinates at of a tensor of shape to to the coordinates
// of the same element in shape from. Runs of axes with equal products are
// mapped apart, which keeps divisions local and coordinates that are merely
// passed on free of any.
func ReshapeIndex(to, from []int, at []*engine.Index, dom engine.Domain) []*engine.Index {
	src := make([]*engine.Index, len(from))
	for j := range src {
		src[j] = engine.ConstIndex(0)
	}
	if Product(from) == 0 {
		return src
	}
	EachRun(to, from, func(i0, i, j0, j int) { splitMap(to[i0:i], from[j0:j], at[i0:i], src[j0:j], dom) })
	return src
}

// EachRun yields the shortest runs of axes [i0, i) of to and [j0, j) of from
// that have equal products, none 0.
func EachRun(to, from []int, yield func(i0, i, j0, j int)) {
	for i, j := 0, 0; i < len(to) || j < len(from); {
		i0, j0 := i, j
		n, m := 1, 1
		for i < len(to) && (i == i0 || n < m || to[i] == 1) {
			n *= to[i]
			i++
			for j < len(from) && m < n {
				m *= from[j]
				j++
			}
		}
		for j < len(from) && (m < n || from[j] == 1) {
			m *= from[j]
			j++
		}
		yield(i0, i, j0, j)
	}
}

// splitMap is ReshapeIndex for one run: linearise, then take apart.
func splitMap(to, from []int, at, src []*engine.Index, dom engine.Domain) {
	flat := engine.ConstIndex(0)
	for i, x := range at {
		if to[i] != 1 {
			flat = flat.Add(x.Mul(int64(Product(to[i+1:]))))
		}
	}
	outer := true
	for j, d := range from {
		if d == 1 {
			continue
		}
		src[j] = flat.Div(int64(Product(from[j+1:])), dom)
		if !outer {
			src[j] = src[j].Mod(int64(d), dom)
		}
		outer = false
	}
}

// BroadcastIndex drops leading axes and pins stretched ones to 0.
func BroadcastIndex(from []int, at []*engine.Index) []*engine.Index {
	src := slices.Clone(at[len(at)-len(from):])
	for j, d := range from {
		if d == 1 {
			src[j] = engine.ConstIndex(0)
		}
	}
	return src
}
