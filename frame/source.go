package frame

import (
	"context"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/plan"
	"github.com/anycl/anycl/frame/internal/table"
)

// A Source is a table that is read when a query runs: a file, or a source of another package.
type Source interface {
	// Schema returns names and types of all columns.
	Schema() ([]Field, error)
	// Read hands the rows over in frames, in their order, of the columns asked for. It may leave out rows that Request.Filter excludes.
	Read(ctx context.Context, r Request, rows func(*Frame) error) error
	// String names the source in plans and errors.
	String() string
}

// Request describes the part of a source that a query needs.
type Request struct {
	Columns []string // in this order
	Limit   int      // rows that are enough, -1 for all. Only without Filter
	Filter  []Bound  // all hold for the rows that are needed
	Workers int      // goroutines
	Whole   bool     // all rows are kept: their memory may be allocated at once
	// Reuse, if not nil, says after a frame was handed over whether nothing uses it any more, so that the memory of its columns
	// may be written over.
	Reuse func() bool
}

// Bound is a comparison of a column with a constant: =, <>, <, <=, > or >=.
type Bound struct {
	Column string
	Op     string
	Value  *column.Column // one value, of the column's type, not null
}

// sourceAdapter is a Source as plans read it.
type sourceAdapter struct{ s Source }

func adapt(s Source) plan.Source {
	if s == nil {
		return nil
	}
	return sourceAdapter{s}
}

func (a sourceAdapter) String() string { return a.s.String() }

func (a sourceAdapter) Schema() ([]table.Field, error) {
	fields, err := a.s.Schema()
	return schemaOf(fields), err
}

func (a sourceAdapter) Read(ctx context.Context, r plan.Request, rows func(*table.Table) error) error {
	q := Request{Columns: r.Columns, Limit: r.Limit, Workers: r.Workers, Whole: r.Whole, Reuse: r.Reuse}
	for _, c := range r.Filter {
		q.Filter = append(q.Filter, Bound(c))
	}
	return a.s.Read(ctx, q, func(f *Frame) error { return rows(f.t) })
}
