package tensor

import "iter"

// run is a row of elements at equal distances in storage.
type run struct {
	offset, n, stride int // all in elements
}

// runs yields the elements of t in row-major order as the longest runs that its strides allow:
// one for a contiguous tensor. Runs are never empty.
func (t *Tensor) runs() iter.Seq[run] {
	return func(yield func(run) bool) {
		if t.n == 0 {
			return
		}
		shape, strides := collapse(t.shape, t.strides)
		last := len(shape) - 1
		r := run{offset: t.offset, n: shape[last], stride: strides[last]}
		index := make([]int, last)
		for {
			if !yield(r) {
				return
			}
			axis := last - 1
			for ; axis >= 0; axis-- { // an odometer: step this axis, or wind it back and carry
				if index[axis]++; index[axis] < shape[axis] {
					r.offset += strides[axis]
					break
				}
				index[axis] = 0
				r.offset -= (shape[axis] - 1) * strides[axis]
			}
			if axis < 0 {
				return
			}
		}
	}
}

// collapse merges neighbouring axes that one stride can walk and drops axes of size 1. The result
// has at least one axis.
func collapse(shape, strides []int) (sizes, steps []int) {
	for i, size := range shape {
		if size == 1 {
			continue
		}
		if k := len(sizes) - 1; k >= 0 && steps[k] == size*strides[i] {
			sizes[k] *= size
			steps[k] = strides[i]
			continue
		}
		sizes, steps = append(sizes, size), append(steps, strides[i])
	}
	if len(sizes) == 0 {
		return []int{1}, []int{1}
	}
	return sizes, steps
}
