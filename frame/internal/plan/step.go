package plan

import (
	"context"
	"slices"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/table"
)

// Step is a step of a query as it was written.
type Step struct {
	Op        string
	In        []*Step
	At        expr.Callers
	Frame     *table.Table
	Source    Source
	Exprs     []*expr.Node
	Keys      []*expr.Node
	Order     []SortKey
	Names     []string
	Join      Join
	AsOf      AsOf
	Unpivot   Unpivot
	Rolling   Rolling
	Separator string // of splitrows
	From      int
	Count     int
	Seed      uint64
}

// SortKey is an expression by which rows are ordered.
type SortKey struct {
	Node       *expr.Node
	Desc       bool
	NullsFirst bool
}

// JoinKind says which rows a join has.
type JoinKind string

const (
	InnerJoin JoinKind = "inner"
	LeftJoin  JoinKind = "left"
	RightJoin JoinKind = "right"
	FullJoin  JoinKind = "full"
	SemiJoin  JoinKind = "semi"
	AntiJoin  JoinKind = "anti"
	CrossJoin JoinKind = "cross"
)

// Join says how two queries are joined.
type Join struct {
	How     JoinKind
	On      []string
	LeftOn  []string
	RightOn []string
	Suffix  string
}

// AsOf says how rows are joined with the nearest row before, or after.
type AsOf struct {
	On        string
	By        []string
	Forward   bool
	Tolerance any
	Suffix    string
}

// Unpivot says which columns become rows.
type Unpivot struct {
	Keep     []string
	Columns  []string
	Variable string
	Value    string
}

// Part are the columns of the result's rows for one column.
func (u Unpivot) Part(name string, value column.Type) (out []Named) {
	for _, k := range u.Keep {
		out = append(out, Named{k, expr.Col(k)})
	}
	variable := &expr.Node{Op: "cast", Type: column.Dictionary.Of(), Args: []*expr.Node{{Op: "lit", Value: name}}}
	v := expr.Col(name)
	return append(out, Named{u.Variable, variable}, Named{u.Value, &expr.Node{Op: "cast", Type: value, Args: []*expr.Node{v}}})
}

// Rolling says which rows are in the window of a row.
type Rolling struct {
	On     string
	Window any
	By     []string
}

// Source is a table that is read when a query runs.
type Source interface {
	Schema() ([]table.Field, error)
	Read(ctx context.Context, r Request, rows func(*table.Table) error) error
	String() string
}

// Request describes the part of a source that a query needs.
type Request struct {
	Columns []string
	Limit   int
	Filter  []condition
	Workers int
	Whole   bool
	Reuse   func() bool
}

// condition is a comparison of a column with a constant: =, <>, <, <=, > or >=.
type condition struct {
	Column string
	Op     string
	Value  *column.Column
}

// OnlyWhere has aggregates see the rows for which a condition is true.
func OnlyWhere(n *expr.Node, is *expr.Node) *expr.Node {
	c := *n
	if expr.Aggregates[n.Op] {
		if n.Op == "rows" {
			return &expr.Node{Op: "count", At: n.At,
				Args: []*expr.Node{{Op: "when", At: n.At, Args: []*expr.Node{is, {Op: "lit", Value: 1, At: n.At}, {Op: "lit", At: n.At}}}}}
		}
		c.Args = slices.Clone(n.Args)
		for i, a := range n.Args {
			c.Args[i] = &expr.Node{Op: "when", At: n.At, Args: []*expr.Node{is, a, {Op: "lit", At: n.At}}}
		}
		return &c
	}
	c.Args = make([]*expr.Node, len(n.Args))
	for i, a := range n.Args {
		c.Args[i] = OnlyWhere(a, is)
	}
	return &c
}
