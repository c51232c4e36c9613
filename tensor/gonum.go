package tensor

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// The bridges to gonum copy nothing in either direction: both sides see each other's writes.

// FromDense returns a float64 tensor over m's elements. Errors: m is nil.
func FromDense(m *mat.Dense) (*Tensor, error) {
	if m == nil {
		return nil, errors.New("tensor: FromDense of a nil matrix")
	}
	return FromGeneral64(m.RawMatrix())
}

// FromGeneral64 returns a float64 tensor of shape [Rows Cols] over g's elements. Errors: sizes
// and stride that Data cannot hold.
func FromGeneral64(g blas64.General) (*Tensor, error) {
	return fromGeneral(g.Rows, g.Cols, g.Stride, g.Data)
}

// FromGeneral32 returns a float32 tensor of shape [Rows Cols] over g's elements. Errors: sizes
// and stride that Data cannot hold.
func FromGeneral32(g blas32.General) (*Tensor, error) {
	return fromGeneral(g.Rows, g.Cols, g.Stride, g.Data)
}

// Dense returns t as a gonum matrix over the same elements, with the conditions of
// [Tensor.General64]; of the empty matrices gonum has only 0 x 0.
func (t *Tensor) Dense() (*mat.Dense, error) {
	g, err := t.General64()
	if err != nil {
		return nil, err
	}
	m := new(mat.Dense)
	if g.Rows+g.Cols == 0 {
		return m, nil
	}
	if t.n == 0 {
		return nil, fmt.Errorf("tensor: gonum has no dense matrix of shape %s", ShapeString(t.shape))
	}
	m.SetRawMatrix(g)
	return m, nil
}

// General64 returns t as a BLAS matrix over the same elements. The elements of a row must lie one
// after the other; rows may lie apart. Errors: t is not a float64 tensor of rank 2, or its strides
// are others (such as those of a transposed matrix: make it contiguous first).
func (t *Tensor) General64() (blas64.General, error) {
	rows, cols, stride, data, err := general[float64](t)
	return blas64.General{Rows: rows, Cols: cols, Stride: stride, Data: data}, err
}

// General32 is [Tensor.General64] for float32.
func (t *Tensor) General32() (blas32.General, error) {
	rows, cols, stride, data, err := general[float32](t)
	return blas32.General{Rows: rows, Cols: cols, Stride: stride, Data: data}, err
}

func fromGeneral[T float32 | float64](rows, cols, stride int, data []T) (*Tensor, error) {
	dt := DTypeOf[T]()
	shape := []int{rows, cols}
	if _, err := checkSize(dt, shape); err != nil {
		return nil, err
	}
	base := &Tensor{dtype: dt, data: bytesOf(data)}
	if rows == 0 || cols == 0 {
		return base.view(shape, rowMajor(shape), 0), nil
	}
	// Divided, not multiplied: rows * stride could overflow.
	if rows > 1 && stride < cols || cols > len(data) || rows > 1 && (len(data)-cols)/stride < rows-1 {
		return nil, fmt.Errorf("tensor: a %d x %d matrix with stride %d does not fit %d elements", rows, cols, stride, len(data))
	}
	return base.view(shape, []int{stride, 1}, 0), nil
}

func general[T float32 | float64](t *Tensor) (rows, cols, stride int, data []T, err error) {
	if want := DTypeOf[T](); t.dtype != want || t.Rank() != 2 {
		return 0, 0, 0, nil, fmt.Errorf("tensor: a %s tensor of shape %s is not a %s matrix", t.dtype, ShapeString(t.shape), want)
	}
	rows, cols, stride = t.shape[0], t.shape[1], t.strides[0]
	if t.n == 0 {
		return rows, cols, max(1, cols), nil, nil
	}
	if rows == 1 { // whatever it was, it is never walked, but BLAS checks it
		stride = cols
	}
	if cols > 1 && t.strides[1] != 1 || stride < cols {
		return 0, 0, 0, nil, fmt.Errorf("tensor: strides %v of shape %s are not those of a BLAS matrix (copy with Contiguous)",
			t.strides, ShapeString(t.shape))
	}
	end := t.offset + (rows-1)*stride + cols
	return rows, cols, stride, storage[T](t)[t.offset:end:end], nil
}
