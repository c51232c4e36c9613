package sparse

import (
	"fmt"
	"slices"
)

// CSR returns a in compressed rows. Errors: those of Check.
func (a *COO[T]) CSR() (*CSR[T], error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	// Sorted by column first, then stably by row: two passes of a counting sort.
	c := exchange(a.Cols, a.Col, a.Row, a.Value)
	r := exchange(a.Rows, c.index, c.of(a.Cols), c.value)
	return merged(a.Rows, a.Cols, r), nil
}

// compressed are elements sorted by one index: those of place i are index[ptr[i]:ptr[i+1]].
type compressed[T any] struct {
	ptr, index []int32
	value      []T
}

// exchange sorts elements by key, stably; index and value go along.
func exchange[T any](keys int, key, index []int32, value []T) compressed[T] {
	c := compressed[T]{make([]int32, keys+1), make([]int32, len(key)), make([]T, len(key))}
	for _, k := range key {
		c.ptr[k+1]++
	}
	for k := range keys {
		c.ptr[k+1] += c.ptr[k]
	}
	next := slices.Clone(c.ptr)
	for i, k := range key {
		at := next[k]
		next[k]++
		c.index[at], c.value[at] = index[i], value[i]
	}
	return c
}

// of is the key of each element.
func (c compressed[T]) of(keys int) []int32 { return rowsOf(c.ptr[:keys+1]) }

// rowsOf is the row of each element.
func rowsOf(ptr []int32) []int32 {
	if len(ptr) == 0 {
		return nil
	}
	rows := make([]int32, ptr[len(ptr)-1])
	for r := range len(ptr) - 1 {
		for i := ptr[r]; i < ptr[r+1]; i++ {
			rows[i] = int32(r)
		}
	}
	return rows
}

// merged adds elements at the same place.
func merged[T Number](rows, cols int, c compressed[T]) *CSR[T] {
	a := &CSR[T]{Rows: rows, Cols: cols, Ptr: make([]int32, rows+1), Col: c.index[:0], Value: c.value[:0]}
	for r := range rows {
		last := int32(-1)
		for i := c.ptr[r]; i < c.ptr[r+1]; i++ {
			if col, v := c.index[i], c.value[i]; col == last {
				a.Value[len(a.Value)-1] += v
			} else {
				a.Col, a.Value = append(a.Col, col), append(a.Value, v)
				last = col
			}
		}
		a.Ptr[r+1] = int32(len(a.Col))
	}
	return a
}

// COO returns a as a list of elements, row by row.
func (a *CSR[T]) COO() *COO[T] {
	return &COO[T]{a.Rows, a.Cols, rowsOf(a.Ptr), slices.Clone(a.Col), slices.Clone(a.Value)}
}

// CSC returns a in compressed columns.
func (a *CSR[T]) CSC() *CSC[T] {
	c := exchange(a.Cols, a.Col, rowsOf(a.Ptr), a.Value)
	return &CSC[T]{a.Rows, a.Cols, c.ptr, c.index, c.value}
}

// CSR returns a in compressed rows.
func (a *CSC[T]) CSR() *CSR[T] {
	c := exchange(a.Rows, a.Row, rowsOf(a.Ptr), a.Value)
	return &CSR[T]{a.Rows, a.Cols, c.ptr, c.index, c.value}
}

// Transpose returns the transpose of a.
func (a *CSR[T]) Transpose() *CSR[T] {
	c := exchange(a.Cols, a.Col, rowsOf(a.Ptr), a.Value)
	return &CSR[T]{a.Cols, a.Rows, c.ptr, c.index, c.value}
}

// BSR returns a in blocks of rows x cols, those in which a has an element; the rest of them is 0. Errors: the extents of a are no
// multiples of those of a block.
func (a *CSR[T]) BSR(rows, cols int) (*BSR[T], error) {
	if rows < 1 || cols < 1 || a.Rows%rows != 0 || a.Cols%cols != 0 {
		return nil, fmt.Errorf("sparse: %d x %d is not made of blocks of %d x %d", a.Rows, a.Cols, rows, cols)
	}
	b := &BSR[T]{Rows: a.Rows, Cols: a.Cols, BlockRows: rows, BlockCols: cols, Ptr: make([]int32, a.Rows/rows+1)}
	at := make([]int32, a.Cols/cols) // of the columns of blocks that this row has: 1, and then the number of the block
	for r := range a.Rows / rows {
		first := len(b.Col)
		from, to := a.Ptr[r*rows], a.Ptr[(r+1)*rows]
		for _, c := range a.Col[from:to] {
			if k := c / int32(cols); at[k] == 0 {
				at[k] = 1
				b.Col = append(b.Col, k)
			}
		}
		slices.Sort(b.Col[first:])
		for i, k := range b.Col[first:] {
			at[k] = int32(first + i)
		}
		b.Value = append(b.Value, make([]T, (len(b.Col)-first)*rows*cols)...)
		for row := r * rows; row < (r+1)*rows; row++ {
			for i := a.Ptr[row]; i < a.Ptr[row+1]; i++ {
				c := int(a.Col[i])
				b.Value[(int(at[c/cols])*rows+row%rows)*cols+c%cols] = a.Value[i]
			}
		}
		for _, k := range b.Col[first:] {
			at[k] = 0
		}
		b.Ptr[r+1] = int32(len(b.Col))
	}
	return b, checkExtents(b.Rows, b.Cols, len(b.Value))
}

// CSR returns a in compressed rows, with all elements of its blocks, also those that are 0.
func (a *BSR[T]) CSR() *CSR[T] {
	r, c := a.BlockRows, a.BlockCols
	b := &CSR[T]{Rows: a.Rows, Cols: a.Cols, Ptr: make([]int32, a.Rows+1)}
	for row := range a.Rows {
		for i := a.Ptr[row/r]; i < a.Ptr[row/r+1]; i++ {
			at := (int(i)*r + row%r) * c
			for j := range c {
				b.Col = append(b.Col, a.Col[i]*int32(c)+int32(j))
			}
			b.Value = append(b.Value, a.Value[at:at+c]...)
		}
		b.Ptr[row+1] = int32(len(b.Col))
	}
	return b
}

// FromDense returns the elements of a dense matrix, row by row, that are not 0. Errors: dense has another number of elements.
func FromDense[T Number](rows, cols int, dense []T) (*CSR[T], error) {
	if err := checkExtents(rows, cols, 0); err != nil || rows*cols != len(dense) {
		return nil, fmt.Errorf("sparse: %d numbers for %d x %d", len(dense), rows, cols)
	}
	a := &CSR[T]{Rows: rows, Cols: cols, Ptr: make([]int32, rows+1)}
	for r := range rows {
		for c, v := range dense[r*cols : (r+1)*cols] {
			if v != 0 {
				a.Col, a.Value = append(a.Col, int32(c)), append(a.Value, v)
			}
		}
		a.Ptr[r+1] = int32(len(a.Col))
	}
	return a, checkExtents(rows, cols, len(a.Col))
}

// Dense returns a as a dense matrix, row by row.
func (a *CSR[T]) Dense() []T {
	d := make([]T, a.Rows*a.Cols)
	for r := range a.Rows {
		for i := a.Ptr[r]; i < a.Ptr[r+1]; i++ {
			d[r*a.Cols+int(a.Col[i])] = a.Value[i]
		}
	}
	return d
}

// Float64 returns a in float64.
func (a *CSR[T]) Float64() *CSR[float64] { return converted[float64](a) }

// Float32 returns a in float32, rounded.
func (a *CSR[T]) Float32() *CSR[float32] { return converted[float32](a) }

func converted[U, T Number](a *CSR[T]) *CSR[U] {
	b := &CSR[U]{a.Rows, a.Cols, slices.Clone(a.Ptr), slices.Clone(a.Col), make([]U, len(a.Value))}
	for i, v := range a.Value {
		b.Value[i] = U(v)
	}
	return b
}
