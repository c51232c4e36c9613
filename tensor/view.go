package tensor

import (
	"fmt"
	"slices"
)

// Reshape returns t's elements, in row-major order, under another shape: as a view where the
// strides allow one, else as a contiguous copy. One size may be -1: it is what the others leave.
// Errors: a number of elements other than t's, more than one -1, or a -1 beside a 0.
func (t *Tensor) Reshape(shape ...int) (*Tensor, error) {
	shape, err := t.fillShape(shape)
	if err != nil {
		return nil, err
	}
	if v, ok := t.reshapeView(shape); ok {
		return v, nil
	}
	v, _ := t.Clone().reshapeView(shape)
	return v, nil
}

// ReshapeView is [Tensor.Reshape] that never copies: where the strides allow no view it is an error.
func (t *Tensor) ReshapeView(shape ...int) (*Tensor, error) {
	shape, err := t.fillShape(shape)
	if err != nil {
		return nil, err
	}
	v, ok := t.reshapeView(shape)
	if !ok {
		return nil, fmt.Errorf("tensor: reshape %s with strides %v to %s needs a copy",
			ShapeString(t.shape), t.strides, ShapeString(shape))
	}
	return v, nil
}

// fillShape returns a copy of shape with its -1 replaced, checked against t's length.
func (t *Tensor) fillShape(shape []int) ([]int, error) {
	filled := slices.Clone(shape)
	unknown := slices.Index(filled, -1)
	if unknown >= 0 {
		filled[unknown] = 1
	}
	n, err := NumElems(filled)
	if err == nil && unknown >= 0 && n > 0 && t.n%n == 0 {
		filled[unknown] = t.n / n
	} else if err != nil || unknown >= 0 || n != t.n {
		return nil, fmt.Errorf("tensor: reshape %s to %s: the sizes do not fit", ShapeString(t.shape), ShapeString(shape))
	}
	return filled, nil
}

// reshapeView reports whether each axis that t collapses to is the product of neighbours in shape,
// which is when a view exists, and returns it. The number of elements must fit.
func (t *Tensor) reshapeView(shape []int) (*Tensor, bool) {
	strides := rowMajor(shape)
	if t.n == 0 {
		return t.view(shape, strides, 0), true
	}
	sizes, steps := collapse(t.shape, t.strides)
	end := 0
	for k, size := range sizes {
		start, product := end, 1
		for product < size {
			product *= shape[end]
			end++
		}
		if product != size {
			return nil, false
		}
		step := steps[k]
		for i := end - 1; i >= start; i-- {
			strides[i] = step
			step *= shape[i]
		}
	}
	return t.view(shape, strides, t.offset), true
}

// Transpose returns a view whose axis i is t's axis perm[i]. Without perm it reverses the axes.
// Axes may count from the end. Errors: perm is not a permutation of the axes.
func (t *Tensor) Transpose(perm ...int) (*Tensor, error) {
	rank := t.Rank()
	shape, strides := make([]int, rank), make([]int, rank)
	if len(perm) == 0 {
		for i := range rank {
			shape[i], strides[i] = t.shape[rank-1-i], t.strides[rank-1-i]
		}
		return t.view(shape, strides, t.offset), nil
	}
	seen := make([]bool, rank)
	for i, p := range perm {
		axis, err := axisOf(p, rank)
		if err != nil || len(perm) != rank || seen[axis] {
			return nil, fmt.Errorf("tensor: transpose %s by %v: not a permutation of its %d axes", ShapeString(t.shape), perm, rank)
		}
		seen[axis] = true
		shape[i], strides[i] = t.shape[axis], t.strides[axis]
	}
	return t.view(shape, strides, t.offset), nil
}

// Slice returns a view of the indices start, start+step, ... of one axis, up to stop and without it.
// Nothing wraps or is clipped: for a positive step 0 <= start <= stop <= size, for a negative one
// size > start >= stop >= -1, where stop -1 takes everything down to index 0.
// Errors: an axis that is not there, bounds outside these, a step of 0.
func (t *Tensor) Slice(axis, start, stop, step int) (*Tensor, error) {
	axis, err := axisOf(axis, t.Rank())
	if err != nil {
		return nil, fmt.Errorf("tensor: slice: %w", err)
	}
	size, count := t.shape[axis], 0
	switch {
	case step > 0 && 0 <= start && start <= stop && stop <= size:
		if stop > start {
			count = (stop-start-1)/step + 1
		}
	case step < 0 && size > start && start >= stop && stop >= -1:
		if start > stop {
			count = (stop-start+1)/step + 1
		}
	default:
		return nil, fmt.Errorf("tensor: slice %d:%d:%d of axis %d, which has size %d", start, stop, step, axis, size)
	}
	shape, strides := slices.Clone(t.shape), slices.Clone(t.strides)
	shape[axis] = count
	if count > 1 { // a stride that is never walked stays as it was: the product could overflow
		strides[axis] *= step
	}
	return t.view(shape, strides, t.offset+start*t.strides[axis]), nil
}

// Index returns a view of one index of an axis, without that axis.
// Errors: an axis or an index that is not there.
func (t *Tensor) Index(axis, i int) (*Tensor, error) {
	axis, err := axisOf(axis, t.Rank())
	if err != nil {
		return nil, fmt.Errorf("tensor: index: %w", err)
	}
	if i < 0 || i >= t.shape[axis] {
		return nil, fmt.Errorf("tensor: index %d of axis %d, which has size %d", i, axis, t.shape[axis])
	}
	shape := slices.Delete(slices.Clone(t.shape), axis, axis+1)
	strides := slices.Delete(slices.Clone(t.strides), axis, axis+1)
	return t.view(shape, strides, t.offset+i*t.strides[axis]), nil
}

// Flip returns a view with the order of the indices reversed along each of axes, or along every
// axis when none is named. Errors: an axis that is not there or is named twice.
func (t *Tensor) Flip(axes ...int) (*Tensor, error) {
	named, err := t.axisSet("flip", axes)
	if err != nil {
		return nil, err
	}
	strides, offset := slices.Clone(t.strides), t.offset
	for axis, size := range t.shape {
		if named[axis] || len(axes) == 0 {
			offset += (size - 1) * strides[axis]
			strides[axis] = -strides[axis]
		}
	}
	return t.view(slices.Clone(t.shape), strides, offset), nil
}

// Squeeze returns a view without the named axes, which must have size 1, or without every axis of
// size 1 when none is named. Errors: an axis that is not there, is named twice or has another size.
func (t *Tensor) Squeeze(axes ...int) (*Tensor, error) {
	named, err := t.axisSet("squeeze", axes)
	if err != nil {
		return nil, err
	}
	var shape, strides []int
	for axis, size := range t.shape {
		if named[axis] && size != 1 {
			return nil, fmt.Errorf("tensor: squeeze axis %d of %s, which has size %d", axis, ShapeString(t.shape), size)
		}
		if size != 1 || !named[axis] && len(axes) > 0 {
			shape, strides = append(shape, size), append(strides, t.strides[axis])
		}
	}
	return t.view(shape, strides, t.offset), nil
}

// Unsqueeze returns a view with a new axis of size 1, which is axis number axis of the result
// (-1: its last). Errors: the result would have no such axis.
func (t *Tensor) Unsqueeze(axis int) (*Tensor, error) {
	axis, err := axisOf(axis, t.Rank()+1)
	if err != nil {
		return nil, fmt.Errorf("tensor: unsqueeze: %w", err)
	}
	shape := slices.Insert(slices.Clone(t.shape), axis, 1)
	return t.view(shape, slices.Insert(slices.Clone(t.strides), axis, 1), t.offset), nil
}

// BroadcastTo returns a view of a larger shape by the rules of [Broadcast]: along each new axis,
// and each that had size 1, the same elements repeat (stride 0), so a write shows at every repeat.
// Errors: t does not broadcast to shape.
func (t *Tensor) BroadcastTo(shape ...int) (*Tensor, error) {
	common, err := Broadcast(t.shape, shape)
	if err == nil && !slices.Equal(common, shape) {
		err = fmt.Errorf("tensor: shape %s does not broadcast to %s", ShapeString(t.shape), ShapeString(shape))
	}
	if err == nil {
		_, err = checkSize(t.dtype, common)
	}
	if err != nil {
		return nil, err
	}
	strides := make([]int, len(common))
	lead := len(common) - t.Rank()
	for i, size := range t.shape {
		if size != 1 || common[lead+i] == 1 {
			strides[lead+i] = t.strides[i]
		}
	}
	return t.view(common, strides, t.offset), nil
}

// axisSet marks the named axes.
func (t *Tensor) axisSet(op string, axes []int) ([]bool, error) {
	named := make([]bool, t.Rank())
	for _, a := range axes {
		axis, err := axisOf(a, t.Rank())
		if err != nil {
			return nil, fmt.Errorf("tensor: %s: %w", op, err)
		}
		if named[axis] {
			return nil, fmt.Errorf("tensor: %s: axis %d is named twice in %v", op, axis, axes)
		}
		named[axis] = true
	}
	return named, nil
}

// view returns a header over t's storage. The shape, which it keeps, must be one that NumElems accepts.
func (t *Tensor) view(shape, strides []int, offset int) *Tensor {
	n := 1
	for _, size := range shape {
		if size == 0 { // nothing is ever read: an offset that always is inside
			n, offset = 0, 0
			break
		}
		n *= size
	}
	return &Tensor{dtype: t.dtype, shape: shape, strides: strides, offset: offset, n: n, data: t.data}
}
