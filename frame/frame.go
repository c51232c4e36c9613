package frame

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/frame/column"
)

// Frame is columns of equal length with distinct names. It never changes, and goroutines may share it.
type Frame struct {
	names []string
	cols  []*column.Column
	rows  int
}

// Named is a column with its name.
type Named struct {
	Name   string
	Column *column.Column
}

// Of names a column of the values of a Go slice, as [column.Of] makes it.
func Of[T column.Elem](name string, values []T) Named { return Named{name, column.Of(values)} }

// New returns a frame of columns. Errors: columns of unequal length, one name twice, a column that is nil.
func New(cols ...Named) (*Frame, error) {
	f := &Frame{}
	for i, c := range cols {
		switch {
		case c.Column == nil:
			return nil, fmt.Errorf("frame: column %q is nil", c.Name)
		case i > 0 && c.Column.Len() != f.rows:
			return nil, fmt.Errorf("frame: column %q has %d rows, %q has %d", c.Name, c.Column.Len(), cols[0].Name, f.rows)
		case slices.Contains(f.names, c.Name):
			return nil, fmt.Errorf("frame: two columns are called %q", c.Name)
		}
		f.names, f.cols, f.rows = append(f.names, c.Name), append(f.cols, c.Column), c.Column.Len()
	}
	if uint64(f.rows) > maxRows {
		return nil, fmt.Errorf("frame: %d rows; a frame has up to %d", f.rows, uint64(maxRows))
	}
	return f, nil
}

// maxRows is one less than the largest number of a row, which stands for none.
const maxRows = 1<<32 - 2

// Rows returns the number of rows.
func (f *Frame) Rows() int { return f.rows }

// Names returns the names of the columns.
func (f *Frame) Names() []string { return slices.Clone(f.names) }

// Columns returns the columns with their names.
func (f *Frame) Columns() []Named {
	c := make([]Named, len(f.cols))
	for i := range c {
		c[i] = Named{f.names[i], f.cols[i]}
	}
	return c
}

// Column returns a column, nil if the frame has none of that name.
func (f *Frame) Column(name string) *column.Column {
	if i := slices.Index(f.names, name); i >= 0 {
		return f.cols[i]
	}
	return nil
}

// Field is the name and type of a column.
type Field struct {
	Name string
	Type column.Type
}

// Schema returns names and types of the columns.
func (f *Frame) Schema() []Field {
	s := make([]Field, len(f.cols))
	for i, c := range f.cols {
		s[i] = Field{f.names[i], c.Type()}
	}
	return s
}

// Bytes returns the size of the columns.
func (f *Frame) Bytes() int64 {
	var n int64
	for _, c := range f.cols {
		n += c.Bytes()
	}
	return n
}

// Slice returns rows i to j-1, without a copy. Errors: rows that the frame does not have.
func (f *Frame) Slice(i, j int) (*Frame, error) {
	if i < 0 || j < i || j > f.rows {
		return nil, fmt.Errorf("frame: rows %d to %d of %d", i, j, f.rows)
	}
	return f.slice(i, j), nil
}

func (f *Frame) slice(i, j int) *Frame {
	s := &Frame{names: f.names, rows: j - i, cols: make([]*column.Column, len(f.cols))}
	for k, c := range f.cols {
		s.cols[k] = c.Slice(i, j)
	}
	return s
}

// Equal reports whether two frames have equal names, types and values in the same order, as [column.Equal] compares them.
func Equal(a, b *Frame) bool {
	if a.rows != b.rows || !slices.Equal(a.names, b.names) {
		return false
	}
	for i := range a.cols {
		if !column.Equal(a.cols[i], b.cols[i]) {
			return false
		}
	}
	return true
}

// Value returns a value, nil for a null, as [column.Column.Value] does. Errors: a column or row that is not there.
func (f *Frame) Value(name string, row int) (any, error) {
	c := f.Column(name)
	if c == nil {
		return nil, fmt.Errorf("frame: %w %q", errNoColumn, name)
	}
	if row < 0 || row >= f.rows {
		return nil, fmt.Errorf("frame: row %d of %d", row, f.rows)
	}
	return c.Value(row), nil
}

var errNoColumn = errors.New("there is no column")
