// Package lower writes columns, and functions of them, as nodes of a graph of package ops: of each value its elements, and which of them
// are not null.
package lower

import (
	"fmt"
	"strings"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/par"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Value is a column in a graph: an element for each row, or one that stands for all of them.
type Value struct {
	Type   column.Type
	X      *ops.Node      // elements, of any value where null
	OK     *ops.Node      // bool: which elements are not null; nil: all
	Dict   *column.Column // of a dictionary column: the strings
	Number bool           // no element is NaN
	Span   span           // of integers; nil: not known
}

// span returns the least and greatest value that there may be; false if they are not known.
type span func() (least, most int64, known bool)

// Graph is an ops.Graph over rows, with the feeds of its inputs.
type Graph struct {
	Ops    *ops.Graph
	Pool   par.Pool
	Rows   int       // extent
	Mask   *ops.Node // bool: the rows that count; nil: all
	Inline bool      // constants become part of the graph, in place of inputs
	Feeds  []feed
	Broken []*ops.Node      // bool: rows that make a strict cast fail
	loaded map[memory]Value // columns that are inputs
	Text   strings.Builder  // the properties that the graph depends on beside the expressions
}

// feed is the value of an input. It may be made when a run needs it, so that a graph which does not run costs little.
type feed struct {
	Node  *ops.Node
	Bytes int64
	Shape []int
	Make  func() (*tensor.Tensor, error)
}

// memory is a column at an extent.
type memory struct {
	c   *column.Column
	dim int
}

// New returns a graph without inputs.
func New(pool par.Pool, name string) *Graph {
	return &Graph{Ops: ops.NewGraph(name), Pool: pool, Rows: ops.Dim("rows"), loaded: map[memory]Value{}}
}

// Note adds to the text by which graphs are told apart.
func (l *Graph) Note(format string, args ...any) {
	fmt.Fprintf(&l.Text, format, args...)
	l.Text.WriteByte(';')
}

// input adds an input that is fed t.
func (l *Graph) input(t *tensor.Tensor, shape ...int) *ops.Node {
	return l.Later(t.DType(), t.Shape(), func() (*tensor.Tensor, error) { return t, nil }, shape...)
}

// Later adds an input that is fed the result of a function, of a size that is known or guessed.
func (l *Graph) Later(dt tensor.DType, size []int, make func() (*tensor.Tensor, error), shape ...int) *ops.Node {
	n := l.Ops.Input(fmt.Sprintf("in%d", len(l.Feeds)), dt, shape...)
	bytes := int64(dt.Size())
	for _, k := range size {
		bytes *= int64(k)
	}
	l.Feeds = append(l.Feeds, feed{n, bytes, size, make})
	l.Note("%v", dt)
	return n
}

// bits adds an input that has a byte for each bit of b.
func (l *Graph) bits(b column.Bitmap, dim int) *ops.Node {
	return l.Later(tensor.Bool, []int{b.Len()}, func() (*tensor.Tensor, error) {
		data, err := Bytes(l.Pool, b)
		if err != nil {
			return nil, err
		}
		return tensor.FromBytes(tensor.Bool, data, b.Len())
	}, dim)
}

// Scalar is an input of one number, so that graphs which differ in numbers alone are the same.
func Scalar[T tensor.Elem](l *Graph, v T) *ops.Node {
	if l.Inline {
		return l.Ops.Const(tensor.Scalar(v))
	}
	return l.input(tensor.Scalar(v))
}

// Vector is an input with one axis, of an extent of its own.
func Vector[T tensor.Elem](l *Graph, v []T) (*ops.Node, error) {
	if len(v) == 0 {
		v = make([]T, 1)
	}
	t, err := tensor.FromSlice(v, len(v))
	if err != nil {
		return nil, err
	}
	return l.input(t, l.Extent()), nil
}

// Extent is an extent that only the next input has.
func (l *Graph) Extent() int { return ops.Dim(fmt.Sprintf("table%d", len(l.Feeds))) }

// Both is the validity of a value that is null where a or b is.
func Both(a, b *ops.Node) *ops.Node {
	switch {
	case a == nil:
		return b
	case b == nil || a == b:
		return a
	}
	return ops.And(a, b)
}

// Spread repeats a value that stands for all rows.
func (l *Graph) Spread(x *ops.Node) *ops.Node {
	if x != nil && x.Rank() == 0 {
		return ops.BroadcastTo(x, l.Rows)
	}
	return x
}
