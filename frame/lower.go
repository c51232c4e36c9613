package frame

import (
	"errors"
	"fmt"
	"strings"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/par"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// value is a column in a graph: an element for each row, or one that stands for all of them.
type value struct {
	typ    column.Type
	x      *ops.Node      // elements; those of nulls are any
	ok     *ops.Node      // bool: which elements are not null; nil: all
	dict   *column.Column // of a dictionary column: the strings
	number bool           // no element is NaN
	span   span           // of integers; nil: not known
}

// span returns the least and greatest value that there may be; false if they are not known.
type span func() (least, most int64, known bool)

// lowering writes expressions as ops of a graph.
type lowering struct {
	g       *ops.Graph
	pool    par.Pool
	rows    int                                 // extent
	column  func(i int) (value, error)          // of the columns that expressions read
	host    func(i int) (*column.Column, error) // what a column is on the host; an error for one that is computed
	entries func(e bound) (value, bool, error)  // an expression by the strings of a dictionary; nil: [lowering.table]
	mask    *ops.Node                           // bool: the rows that are there; nil: all
	inline  bool                                // constants become part of the graph, in place of inputs
	feeds   []feed
	broken  []*ops.Node      // bool: rows that make a strict cast fail
	loaded  map[memory]value // columns that are inputs
	text    strings.Builder  // what the graph depends on beside the expressions
}

// feed is what an input is fed. It may be made when a run needs it, so that a graph which does not run costs little.
type feed struct {
	node  *ops.Node
	bytes int64
	shape []int
	make  func() (*tensor.Tensor, error)
}

// memory is a column at an extent.
type memory struct {
	c   *column.Column
	dim int
}

func newLowering(pool par.Pool, name string) *lowering {
	return &lowering{g: ops.NewGraph(name), pool: pool, rows: ops.Dim("rows"), loaded: map[memory]value{}}
}

// note adds to what tells graphs apart.
func (l *lowering) note(format string, args ...any) {
	fmt.Fprintf(&l.text, format, args...)
	l.text.WriteByte(';')
}

// of returns the value of an expression. Errors: it has no form as ops.
func (l *lowering) of(e bound) (value, error) {
	if e.col < 0 && !e.konst && len(e.uses) == 1 && l.host != nil {
		if c, err := l.host(e.uses[0]); err == nil && c.Dictionary() != nil {
			return l.table(e, c)
		}
	}
	if l.entries != nil {
		if v, is, err := l.entries(e); is {
			return v, err
		}
	}
	if e.lower == nil {
		if e.what == "" {
			e.what = "this"
		}
		return value{}, fmt.Errorf("%s has no form as ops", e.what)
	}
	v, err := e.lower(l)
	if err == nil && v.x == nil {
		err = errors.New("no value")
	}
	return v, err
}

// input adds an input that is fed t.
func (l *lowering) input(t *tensor.Tensor, shape ...int) *ops.Node {
	return l.later(t.DType(), t.Shape(), func() (*tensor.Tensor, error) { return t, nil }, shape...)
}

// later adds an input that is fed what a function makes, of a size that is known or guessed.
func (l *lowering) later(dt tensor.DType, size []int, make func() (*tensor.Tensor, error), shape ...int) *ops.Node {
	n := l.g.Input(fmt.Sprintf("in%d", len(l.feeds)), dt, shape...)
	bytes := int64(dt.Size())
	for _, k := range size {
		bytes *= int64(k)
	}
	l.feeds = append(l.feeds, feed{n, bytes, size, make})
	l.note("%v", dt)
	return n
}

// bits is an input of a byte for each bit.
func (l *lowering) bits(b column.Bitmap, dim int) *ops.Node {
	return l.later(tensor.Bool, []int{b.Len()}, func() (*tensor.Tensor, error) {
		data, err := expanded(l.pool, b)
		if err != nil {
			return nil, err
		}
		return tensor.FromBytes(tensor.Bool, data, b.Len())
	}, dim)
}

// scalar is an input of one number, so that graphs which differ in numbers alone are the same.
func scalar[T tensor.Elem](l *lowering, v T) *ops.Node {
	if l.inline {
		return l.g.Const(tensor.Scalar(v))
	}
	return l.input(tensor.Scalar(v))
}

// vector is an input with one axis, of an extent of its own.
func vector[T tensor.Elem](l *lowering, v []T) (*ops.Node, error) {
	if len(v) == 0 {
		v = make([]T, 1)
	}
	t, err := tensor.FromSlice(v, len(v))
	if err != nil {
		return nil, err
	}
	return l.input(t, l.extent()), nil
}

// extent is an extent that only the next input has.
func (l *lowering) extent() int { return ops.Dim(fmt.Sprintf("table%d", len(l.feeds))) }

// both is what is not null where neither is.
func both(a, b *ops.Node) *ops.Node {
	switch {
	case a == nil:
		return b
	case b == nil || a == b:
		return a
	}
	return ops.And(a, b)
}

// spread repeats what stands for all rows.
func (l *lowering) spread(x *ops.Node) *ops.Node {
	if x != nil && x.Rank() == 0 {
		return ops.BroadcastTo(x, l.rows)
	}
	return x
}
