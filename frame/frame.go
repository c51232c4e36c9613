package frame

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/table"
)

// Frame is columns of equal length with distinct names. It never changes, and goroutines may share it.
type Frame struct{ t *table.Table }

func frameOf(t *table.Table) *Frame { return &Frame{t} }

// Named is a column with its name.
type Named struct {
	Name   string
	Column *column.Column
}

// Of names a column of the values of a Go slice, as [column.Of] makes it.
func Of[T column.Elem](name string, values []T) Named { return Named{name, column.Of(values)} }

// New returns a frame of columns. Errors: columns of unequal length, one name twice, a column that is nil.
func New(cols ...Named) (*Frame, error) {
	t := &table.Table{}
	for i, c := range cols {
		switch {
		case c.Column == nil:
			return nil, fmt.Errorf("frame: column %q is nil", c.Name)
		case i > 0 && c.Column.Len() != t.Rows:
			return nil, fmt.Errorf("frame: column %q has %d rows, %q has %d", c.Name, c.Column.Len(), cols[0].Name, t.Rows)
		case slices.Contains(t.Names, c.Name):
			return nil, fmt.Errorf("frame: two columns are called %q", c.Name)
		}
		t.Names, t.Cols, t.Rows = append(t.Names, c.Name), append(t.Cols, c.Column), c.Column.Len()
	}
	if uint64(t.Rows) > table.MaxRows {
		return nil, fmt.Errorf("frame: %d rows; a frame has up to %d", t.Rows, uint64(table.MaxRows))
	}
	return frameOf(t), nil
}

// Rows returns the number of rows.
func (f *Frame) Rows() int { return f.t.Rows }

// Names returns the names of the columns.
func (f *Frame) Names() []string { return slices.Clone(f.t.Names) }

// Columns returns the columns with their names.
func (f *Frame) Columns() []Named {
	c := make([]Named, len(f.t.Cols))
	for i := range c {
		c[i] = Named{f.t.Names[i], f.t.Cols[i]}
	}
	return c
}

// Column returns a column, nil if the frame has none of that name.
func (f *Frame) Column(name string) *column.Column { return f.t.Column(name) }

// Field is the name and type of a column.
type Field struct {
	Name string
	Type column.Type
}

// Schema returns names and types of the columns.
func (f *Frame) Schema() []Field { return fieldsOf(f.t.Schema()) }

func fieldsOf(schema []table.Field) []Field {
	out := make([]Field, len(schema))
	for i, f := range schema {
		out[i] = Field(f)
	}
	return out
}

func schemaOf(fields []Field) []table.Field {
	out := make([]table.Field, len(fields))
	for i, f := range fields {
		out[i] = table.Field(f)
	}
	return out
}

// Bytes returns the size of the columns.
func (f *Frame) Bytes() int64 { return f.t.Bytes() }

// Slice returns rows i to j-1, without a copy. Errors: rows that the frame does not have.
func (f *Frame) Slice(i, j int) (*Frame, error) {
	if i < 0 || j < i || j > f.t.Rows {
		return nil, fmt.Errorf("frame: rows %d to %d of %d", i, j, f.t.Rows)
	}
	return frameOf(f.t.Slice(i, j)), nil
}

// Equal reports whether two frames have equal names, types and values in the same order, as [column.Equal] compares them.
func Equal(a, b *Frame) bool {
	if a.t.Rows != b.t.Rows || !slices.Equal(a.t.Names, b.t.Names) {
		return false
	}
	for i := range a.t.Cols {
		if !column.Equal(a.t.Cols[i], b.t.Cols[i]) {
			return false
		}
	}
	return true
}

// Value returns a value, nil for a null, as [column.Column.Value] does. Errors: a column or row that does not exist.
func (f *Frame) Value(name string, row int) (any, error) {
	c := f.t.Column(name)
	if c == nil {
		return nil, fmt.Errorf("frame: %w %q", expr.ErrNoColumn, name)
	}
	if row < 0 || row >= f.t.Rows {
		return nil, fmt.Errorf("frame: row %d of %d", row, f.t.Rows)
	}
	return c.Value(row), nil
}

// Cast converts a column, as [Expr.Cast] does. Errors: types that cannot be converted, a value that the type cannot hold.
func Cast(c *column.Column, t column.Type) (*column.Column, error) {
	if err := expr.Castable(c.Type(), t); err != nil {
		return nil, fmt.Errorf("frame: %w", err)
	}
	out, err := expr.Cast(c, t, true)
	if err != nil {
		return nil, fmt.Errorf("frame: %w", err)
	}
	return out, nil
}
