package expr

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/table"
)

// Collector binds expressions over aggregates: each aggregate becomes a column after those of a schema.
type Collector struct {
	inner *Binder // of the aggregates' operands
	Outer *Binder // of the expressions around them
	Found []Collected
}

// Collected is an aggregate, or a function of windows, with its operands.
type Collected struct {
	Node *Node
	Type column.Type
	Args []Bound
}

// NewCollector binds operands to one schema, and the expressions around aggregates to another.
func NewCollector(inner, outer []table.Field) *Collector {
	c := &Collector{inner: &Binder{Schema: inner}, Outer: &Binder{Schema: slices.Clone(outer)}}
	c.Outer.special = c.special
	return c
}

func (c *Collector) special(n *Node) (Bound, error) {
	text := n.String()
	for i, f := range c.Found {
		if f.Node.String() == text {
			return c.column(i), nil
		}
	}
	f := Collected{Node: n}
	var types []column.Type
	for _, a := range n.Args {
		x, err := c.inner.Bind(a)
		if err != nil {
			return x, err
		}
		f.Args, types = append(f.Args, x), append(types, x.Type)
	}
	var err error
	if WindowFunctions[n.Op] {
		f.Type, err = windowType(n, types)
	} else {
		f.Type, err = aggregateType(n.Op, types)
	}
	if q, ok := n.Value.(float64); ok && n.Op == "quantile" && (q < 0 || q > 1 || q != q) {
		err = fmt.Errorf("quantile %v is not between 0 and 1", q)
	}
	c.Found = append(c.Found, f)
	return c.column(len(c.Found) - 1), err
}

func (c *Collector) column(i int) Bound {
	at := len(c.Outer.Schema) + i
	return Bound{Type: c.Found[i].Type, Column: at, Eval: func(m *Morsel) (*column.Column, error) { return m.Cols[at], nil }}
}

// windowType returns the type of a function of windows.
func windowType(n *Node, args []column.Type) (column.Type, error) {
	rows, _ := n.Value.(int)
	switch n.Op {
	case "rownumber", "cumcount":
		return column.Int64.Of(), nil
	case "rank":
		switch n.Value {
		case "average":
			return column.Float64.Of(), nil
		case "min", "max", "dense", "ordinal":
			return column.Int64.Of(), nil
		}
		return column.Type{}, fmt.Errorf("there is no rank %q", n.Value)
	case "cumsum":
		return aggregateType("sum", args)
	case "rollsum", "rollmean", "rollmin", "rollmax":
		if rows < 1 {
			return args[0], fmt.Errorf("a window of %d rows", rows)
		}
		if n.Op == "rollsum" || n.Op == "rollmean" {
			return aggregateType("mean", args)
		}
	}
	return args[0], nil
}
