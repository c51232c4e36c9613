package importer

import (
	"errors"
	"fmt"

	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// call is a node that is being built.
type call struct {
	b       *builder
	s       *scope
	n       *model.Node
	op      *operator
	in      []*value
	attrs   map[string]*model.Attr
	version int64           // of the operator set
	read    map[string]bool // attributes that were asked for
	seen    []bool          // inputs that were asked for
	drew    bool            // its results are drawn at random
}

// fail ends the building of the node.
func (c *call) fail(format string, args ...any) {
	panic(refusal{fmt.Errorf(format, args...)})
}

// refuse is fail for nodes that no other sizes of their operands, and no other contents, would make buildable.
func (c *call) refuse(format string, args ...any) {
	panic(refusal{unsupported{fmt.Errorf(format, args...)}})
}

func (c *call) check(err error) {
	if err != nil {
		panic(refusal{err})
	}
}

// has reports whether input i is given.
func (c *call) has(i int) bool { return i < len(c.in) && c.in[i] != nil }

// wants reports whether output i is asked for.
func (c *call) wants(i int) bool { return i < len(c.n.Outputs) && c.n.Outputs[i] != "" }

// value is input i, which must be given.
func (c *call) value(i int) *value {
	if !c.has(i) {
		c.refuse("its input %d is missing", i)
	}
	c.seen[i] = true
	if v := c.in[i]; v.narrow != 0 && !c.op.narrow && !(c.op.moves && i == 0) {
		c.check(&model.ElementTypeError{Name: v.name, Type: v.narrow.String()})
	}
	return c.in[i]
}

// x is the node of input i.
func (c *call) x(i int) *ops.Node { return c.b.node(c.value(i)) }

// opt is the node of input i, or nil.
func (c *call) opt(i int) *ops.Node {
	if !c.has(i) {
		return nil
	}
	return c.x(i)
}

// all are the nodes of all inputs from the given one on.
func (c *call) all(from int) []*ops.Node {
	var xs []*ops.Node
	for i := from; i < len(c.in); i++ {
		xs = append(xs, c.x(i))
	}
	return xs
}

// node is the node of v; a constant gets one when it is first asked for.
func (b *builder) node(v *value) *ops.Node {
	if len(v.trims) > 0 { // only as many slices are there as the run finds
		if err := b.hostOf(v); err != nil {
			panic(refusal{fmt.Errorf("the size of %q is known only when the graph runs: %w", v.name, err)})
		}
		return b.constantNode(v.host)
	}
	if v.node == nil {
		v.node = b.constantNode(v.host)
	}
	return v.node
}

// host is the content of input i, which must be known before the graph runs.
func (c *call) host(i int) *tensor.Tensor {
	v := c.value(i)
	if err := c.b.hostOf(v); err != nil {
		c.check(fmt.Errorf("input %d, %q, must be known when the graph is built: %w", i, v.name, err))
	}
	return v.host
}

// hostOf computes the content of v.
func (b *builder) hostOf(v *value) error {
	switch {
	case v.host != nil:
		return nil
	case v.input != "":
		t := b.feeds[v.input]
		switch {
		case t == nil:
			return &NeedError{v.input}
		case t.NumBytes() > MaxContents:
			return fmt.Errorf("sizes depend on the contents of input %q, which has %d bytes, more than %d", v.input, t.NumBytes(), MaxContents)
		}
		b.used[v.input] = true
		v.host = t
		return nil
	case v.fold == nil:
		return errors.New("it is made by an iteration of a loop, or drawn at random")
	}
	return v.fold()
}

// constant is the content of v if it depends on no contents of inputs.
func (b *builder) constant(v *value) (*tensor.Tensor, bool) {
	feeds := b.feeds
	b.feeds = nil
	defer func() { b.feeds = feeds }()
	if v == nil || b.hostOf(v) != nil {
		return nil, false
	}
	return v.host, true
}

// ints are the integers that input i holds.
func (c *call) ints(i int) []int { return intsOf(c.host(i)) }

func intsOf(t *tensor.Tensor) []int {
	out := make([]int, t.Len())
	if t.DType() == tensor.Int64 { // float64 does not hold them all
		v, _ := tensor.ToSlice[int64](t)
		for i, x := range v {
			out[i] = int(x)
		}
		return out
	}
	for i, x := range t.All() {
		out[i] = int(x)
	}
	return out
}

// floats are the numbers that input i holds.
func (c *call) floats(i int) []float64 {
	t := c.host(i)
	out := make([]float64, t.Len())
	for i, x := range t.All() {
		out[i] = x
	}
	return out
}

// num is the number that input i holds, or def where it is not given.
func (c *call) num(i int, def float64) float64 {
	if !c.has(i) {
		return def
	}
	f := c.floats(i)
	if len(f) != 1 {
		c.fail("input %d has %d elements, not 1", i, len(f))
	}
	return f[0]
}

// axis is an axis counted from the front.
func (c *call) axis(a, rank int) int {
	if a < 0 {
		a += rank
	}
	if a < 0 || a >= max(rank, 1) {
		c.fail("axis %d of a rank of %d does not exist", a, rank)
	}
	return a
}

func out(nodes ...*ops.Node) []*value {
	vs := make([]*value, len(nodes))
	for i, n := range nodes {
		if n != nil {
			vs[i] = &value{node: n}
		}
	}
	return vs
}

func (c *call) known(t *tensor.Tensor, err error) []*value {
	c.check(err)
	return []*value{{host: t}}
}
