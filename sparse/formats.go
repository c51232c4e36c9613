package sparse

import (
	"errors"
	"fmt"
	"math"
)

// Number is the type of an element.
type Number interface{ float32 | float64 }

// COO is a matrix as a list of elements in any order: element i is Value[i] at (Row[i], Col[i]). Elements at the same
// place are added. It is the form in which matrices are made.
type COO[T Number] struct {
	Rows, Cols int
	Row, Col   []int32
	Value      []T
}

// CSR is a matrix in compressed rows: the elements of row r are those from Ptr[r] up to and without Ptr[r+1] in Col and Value,
// with ascending columns, none twice. Elements that are there may be 0.
type CSR[T Number] struct {
	Rows, Cols int
	Ptr, Col   []int32
	Value      []T
}

// CSC is a matrix in compressed columns: [CSR] with rows and columns exchanged.
type CSC[T Number] struct {
	Rows, Cols int
	Ptr, Row   []int32
	Value      []T
}

// BSR is a matrix of dense blocks in compressed rows of blocks. Block i, BlockRows x BlockCols numbers row by row from
// Value[i·BlockRows·BlockCols] on, stands in column Col[i] of blocks. Rows and Cols are multiples of the extents of a block.
type BSR[T Number] struct {
	Rows, Cols           int
	BlockRows, BlockCols int
	Ptr, Col             []int32
	Value                []T
}

// Add appends an element. A place outside of the matrix is an error of [COO.Check] and [COO.CSR].
func (a *COO[T]) Add(row, col int, v T) {
	a.Row, a.Col, a.Value = append(a.Row, index32(row)), append(a.Col, index32(col)), append(a.Value, v)
}

// index32 is i, or -1, which no matrix has, where an int32 cannot hold it: an i that wraps around would be another place.
func index32(i int) int32 {
	if int(int32(i)) != i {
		return -1
	}
	return int32(i)
}

var errNil = errors.New("sparse: the matrix is nil")

// Check reports what is wrong with a: it is nil, its extents are negative or too large, or its lists differ in length or hold places
// outside.
func (a *COO[T]) Check() error {
	if a == nil {
		return errNil
	}
	if err := checkExtents(a.Rows, a.Cols, len(a.Value)); err != nil {
		return err
	}
	if len(a.Row) != len(a.Value) || len(a.Col) != len(a.Value) {
		return fmt.Errorf("sparse: %d rows and %d columns for %d values", len(a.Row), len(a.Col), len(a.Value))
	}
	for i, r := range a.Row {
		if c := a.Col[i]; r < 0 || int(r) >= a.Rows || c < 0 || int(c) >= a.Cols {
			return fmt.Errorf("sparse: element %d is at (%d, %d), outside of %d x %d", i, r, c, a.Rows, a.Cols)
		}
	}
	return nil
}

// Check reports what is wrong with a: it is nil, its extents are negative or too large, or its lists do not describe ascending rows.
func (a *CSR[T]) Check() error {
	if a == nil {
		return errNil
	}
	if err := checkExtents(a.Rows, a.Cols, len(a.Value)); err != nil {
		return err
	}
	return checkCompressed("row", a.Rows, a.Cols, a.Ptr, a.Col, len(a.Value))
}

// Check is as that of [CSR].
func (a *CSC[T]) Check() error {
	if a == nil {
		return errNil
	}
	if err := checkExtents(a.Rows, a.Cols, len(a.Value)); err != nil {
		return err
	}
	return checkCompressed("column", a.Cols, a.Rows, a.Ptr, a.Row, len(a.Value))
}

// Check is as that of [CSR], for rows of blocks.
func (a *BSR[T]) Check() error {
	if a == nil {
		return errNil
	}
	if err := checkExtents(a.Rows, a.Cols, len(a.Value)); err != nil {
		return err
	}
	r, c := a.BlockRows, a.BlockCols
	if err := checkExtents(r, c, 0); err != nil { // an empty matrix is a multiple of any, also of what r*c has no room for
		return err
	}
	if r < 1 || c < 1 || a.Rows%r != 0 || a.Cols%c != 0 || len(a.Value)%(r*c) != 0 {
		return fmt.Errorf("sparse: %d x %d is not made of blocks of %d x %d", a.Rows, a.Cols, r, c)
	}
	return checkCompressed("row of blocks", a.Rows/r, a.Cols/c, a.Ptr, a.Col, len(a.Value)/(r*c))
}

var errTooLarge = errors.New("sparse: more than 2^31 - 2 rows, columns or elements")

func checkExtents(rows, cols, elements int) error {
	switch {
	case rows < 0 || cols < 0:
		return fmt.Errorf("sparse: a matrix of %d x %d", rows, cols)
	case max(rows, cols, elements) > math.MaxInt32-1:
		return errTooLarge
	}
	return nil
}

// checkCompressed reports what is wrong with rows of columns below cols.
func checkCompressed(what string, rows, cols int, ptr, col []int32, values int) error {
	switch {
	case len(ptr) != rows+1:
		return fmt.Errorf("sparse: %d bounds for %d %ss, one more than those are wanted", len(ptr), rows, what)
	case ptr[0] != 0 || int(ptr[rows]) != len(col) || len(col) != values:
		return fmt.Errorf("sparse: bounds from %d to %d, %d indices and %d values", ptr[0], ptr[rows], len(col), values)
	}
	for r := range rows {
		if ptr[r] > ptr[r+1] || int(ptr[r+1]) > len(col) {
			return fmt.Errorf("sparse: %s %d goes from %d to %d", what, r, ptr[r], ptr[r+1])
		}
		last := int32(-1)
		for _, c := range col[ptr[r]:ptr[r+1]] {
			if c <= last || int(c) >= cols {
				return fmt.Errorf("sparse: %s %d has the index %d after %d, below %d", what, r, c, last, cols)
			}
			last = c
		}
	}
	return nil
}
