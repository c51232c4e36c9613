// Package table holds columns of equal length with names: the operands and results of plans.
package table

import (
	"slices"

	"github.com/anycl/anycl/frame/column"
)

// Table is columns of equal length with distinct names. It never changes.
type Table struct {
	Names []string
	Cols  []*column.Column
	Rows  int
}

// Field is the name and type of a column.
type Field struct {
	Name string
	Type column.Type
}

// MaxRows is the largest number of rows. The row number 2^32-1 stands for no row.
const MaxRows = 1<<32 - 2

// Column returns a column, nil if there is none of that name.
func (f *Table) Column(name string) *column.Column {
	if i := slices.Index(f.Names, name); i >= 0 {
		return f.Cols[i]
	}
	return nil
}

// Schema returns names and types of the columns.
func (f *Table) Schema() []Field {
	s := make([]Field, len(f.Cols))
	for i, c := range f.Cols {
		s[i] = Field{f.Names[i], c.Type()}
	}
	return s
}

// Bytes returns the size of the columns.
func (f *Table) Bytes() int64 {
	var n int64
	for _, c := range f.Cols {
		n += c.Bytes()
	}
	return n
}

// Slice returns rows i to j-1, without a copy.
func (f *Table) Slice(i, j int) *Table {
	s := &Table{Names: f.Names, Rows: j - i, Cols: make([]*column.Column, len(f.Cols))}
	for k, c := range f.Cols {
		s.Cols[k] = c.Slice(i, j)
	}
	return s
}

// Pick returns columns by name.
func Pick(f *Table, names []string) *Table {
	if slices.Equal(f.Names, names) {
		return f
	}
	out := &Table{Rows: f.Rows}
	for _, name := range names {
		out.Names, out.Cols = append(out.Names, name), append(out.Cols, f.Column(name))
	}
	return out
}

// Empty has no rows.
func Empty(schema []Field) *Table {
	out := &Table{}
	for _, f := range schema {
		out.Names, out.Cols = append(out.Names, f.Name), append(out.Cols, column.Nulls(f.Type, 0))
	}
	return out
}
