package sparse

import (
	"fmt"
	"slices"
)

// Mul returns a·x for a vector x. Errors: x has another length than a row.
func (a *CSR[T]) Mul(x []T) ([]T, error) { return a.MulDense(x, 1) }

// MulDense returns a·x for a dense matrix x of cols columns, row by row. Errors: x is of another size.
func (a *CSR[T]) MulDense(x []T, cols int) ([]T, error) {
	if cols < 0 || len(x) != a.Cols*cols {
		return nil, fmt.Errorf("sparse: %d x %d times %d numbers in %d columns", a.Rows, a.Cols, len(x), cols)
	}
	y := make([]T, a.Rows*cols)
	multiplyRows(a.Ptr, a.Col, a.Value, x, y, cols)
	return y, nil
}

// Sum returns the sums of all elements of each row (axis 1) or column (axis 0). Errors: another axis.
func (a *CSR[T]) Sum(axis int) ([]T, error) {
	switch axis {
	case 0:
		s := make([]T, a.Cols)
		for i, c := range a.Col {
			s[c] += a.Value[i]
		}
		return s, nil
	case 1:
		s := make([]T, a.Rows)
		for r := range s {
			for _, v := range a.Value[a.Ptr[r]:a.Ptr[r+1]] {
				s[r] += v
			}
		}
		return s, nil
	}
	return nil, fmt.Errorf("sparse: a matrix has no axis %d", axis)
}

// Diagonal returns the elements (i, i), 0 where there is none.
func (a *CSR[T]) Diagonal() []T {
	d := make([]T, min(a.Rows, a.Cols))
	for r := range d {
		d[r] = a.At(r, r)
	}
	return d
}

// At returns the element at (row, col), which must be inside.
func (a *CSR[T]) At(row, col int) T {
	from, to := a.Ptr[row], a.Ptr[row+1]
	if i, ok := slices.BinarySearch(a.Col[from:to], int32(col)); ok {
		return a.Value[int(from)+i]
	}
	return 0
}

// Plus returns a + β·b, with an element wherever either has one. Errors: the shapes differ.
func (a *CSR[T]) Plus(beta T, b *CSR[T]) (*CSR[T], error) {
	return paired(a, b, true, func(x, y T) T { return x + beta*y })
}

// Times returns the product of a and b element by element, with an element where both have one. Errors: the shapes differ.
func (a *CSR[T]) Times(b *CSR[T]) (*CSR[T], error) {
	return paired(a, b, false, func(x, y T) T { return x * y })
}

// paired merges the rows of two matrices; all says whether an element of one alone counts.
func paired[T Number](a, b *CSR[T], all bool, f func(x, y T) T) (*CSR[T], error) {
	if a.Rows != b.Rows || a.Cols != b.Cols {
		return nil, fmt.Errorf("sparse: %d x %d beside %d x %d", a.Rows, a.Cols, b.Rows, b.Cols)
	}
	c := &CSR[T]{Rows: a.Rows, Cols: a.Cols, Ptr: make([]int32, a.Rows+1)}
	for r := range a.Rows {
		i, j := a.Ptr[r], b.Ptr[r]
		for i < a.Ptr[r+1] || j < b.Ptr[r+1] {
			var x, y T
			inA := i < a.Ptr[r+1] && (j == b.Ptr[r+1] || a.Col[i] <= b.Col[j])
			inB := j < b.Ptr[r+1] && (i == a.Ptr[r+1] || b.Col[j] <= a.Col[i])
			var col int32
			if inA {
				col, x = a.Col[i], a.Value[i]
				i++
			}
			if inB {
				col, y = b.Col[j], b.Value[j]
				j++
			}
			if all || inA && inB {
				c.Col, c.Value = append(c.Col, col), append(c.Value, f(x, y))
			}
		}
		if len(c.Col) > 1<<31-2 {
			return nil, errTooLarge
		}
		c.Ptr[r+1] = int32(len(c.Col))
	}
	return c, nil
}

// Product returns the matrix product a·b, with an element wherever some a[i,k] and b[k,j] are there; rows are computed in parallel.
// Errors: the inner extents differ; the result has too many elements.
// Source: Gustavson, Two fast algorithms for sparse matrices (1978).
func (a *CSR[T]) Product(b *CSR[T]) (*CSR[T], error) {
	if a.Cols != b.Rows {
		return nil, fmt.Errorf("sparse: %d x %d times %d x %d", a.Rows, a.Cols, b.Rows, b.Cols)
	}
	c := &CSR[T]{Rows: a.Rows, Cols: b.Cols, Ptr: make([]int32, a.Rows+1)}
	parts := slices.Compact(append(partsOf(a.Ptr, 1<<12), int32(a.Rows)))
	type piece struct {
		col   []int32
		value []T
	}
	pieces := make([]piece, max(len(parts)-1, 0))
	inParallel(len(pieces), func(next func() (int, bool)) {
		sum, seen := make([]T, b.Cols), make([]int32, b.Cols) // seen is the row plus 1 that a sum is of
		for p, ok := next(); ok; p, ok = next() {
			out := &pieces[p]
			for r := parts[p]; r < parts[p+1]; r++ {
				first := len(out.col)
				for i := a.Ptr[r]; i < a.Ptr[r+1]; i++ {
					k, v := a.Col[i], a.Value[i]
					for j := b.Ptr[k]; j < b.Ptr[k+1]; j++ {
						col := b.Col[j]
						if seen[col] != r+1 {
							seen[col], sum[col] = r+1, 0
							out.col = append(out.col, col)
						}
						sum[col] += v * b.Value[j]
					}
				}
				row := out.col[first:]
				slices.Sort(row)
				for _, col := range row {
					out.value = append(out.value, sum[col])
				}
				c.Ptr[r+1] = int32(len(row))
			}
		}
	})
	total := 0
	for r := range a.Rows {
		if total += int(c.Ptr[r+1]); total > 1<<31-2 {
			return nil, errTooLarge
		}
		c.Ptr[r+1] = int32(total)
	}
	for _, p := range pieces {
		c.Col, c.Value = append(c.Col, p.col...), append(c.Value, p.value...)
	}
	return c, nil
}
