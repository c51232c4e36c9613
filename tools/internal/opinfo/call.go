package opinfo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Row tells how the calls of one name of PyTorch are written here.
type Row struct {
	Torch string
	// Signature are the names of the arguments in their order, "input" first; *name takes all that are left.
	Signature string
	// Go is the call, as the documentation has it.
	Go string
	// Note tells of conventions that differ, and of arguments that are not supported.
	Note string
	// Grads are the arguments that have derivatives, where these are not all those of floats.
	Grads string
	// Same are the arguments whose derivatives may differ from PyTorch's and mean the same: "symmetric" are those of
	// functions of symmetric matrices, of which only the symmetric part says anything, "upper" or "lower" those of ops that read one
	// triangle, where PyTorch gives a derivative for elements that are not read too.
	Same func(c *Call) map[string]string
	// Canon brings results whose order PyTorch leaves open into one that can be compared.
	Canon func(c *Call, out []*tensor.Tensor) []*tensor.Tensor
	// Build builds the call.
	Build func(c *Call) []*ops.Node
	// Align maps results that mathematics leaves open in part to those that PyTorch chose: the signs of
	// vectors, say. It is given the results and those of PyTorch.
	Align func(c *Call, got, want []*ops.Node) []*ops.Node
}

// Call is a case that is being built as a part of a graph. Its methods give the arguments by name. A call that the
// row cannot write ends in a panic of type unsupported, which build catches: a row is a few lines, half of which would be about errors
// else.
type Call struct {
	g      *ops.Graph
	c      *Case
	prefix string
	values map[string]any
	read   map[string]bool // names that the row has asked for
	order  []argument      // as PyTorch goes through them
	nodes  map[*leaf]*ops.Node
	feeds  ops.Feeds
	// text is the call where it is another than that of the row.
	text string
	cuts map[int]cut
}

// cut is how much of a result is real where that depends on data: count along axis.
type cut struct {
	axis  int
	count *ops.Node
}

// unsupported is why a call cannot be written.
type unsupported string

func (c *Call) refuse(format string, args ...any) {
	panic(unsupported(fmt.Sprintf(format, args...)))
}

// bind gives the arguments their names.
func (c *Call) bind(signature string) {
	names := strings.Fields(signature)
	if len(names) == 0 {
		names = []string{"input"}
	}
	c.values, c.read = map[string]any{}, map[string]bool{}
	c.nodes = map[*leaf]*ops.Node{}
	c.cuts = map[int]cut{}
	set := func(name string, v any) {
		c.values[name] = v
		c.order = append(c.order, argument{name, v})
	}
	for i, v := range c.c.Args {
		switch {
		case i < len(names) && !strings.HasPrefix(names[i], "*"):
			set(names[i], v)
			continue
		case strings.HasPrefix(names[len(names)-1], "*") && i >= len(names)-1:
			name := names[len(names)-1][1:]
			rest, _ := c.values[name].([]any)
			c.values[name] = append(rest, v)
			c.order = append(c.order, argument{name, v})
			continue
		}
		c.refuse("the call has more arguments than %q", signature)
	}
	for _, a := range c.c.Named {
		set(a.name, a.value)
	}
	for name, v := range c.values {
		if u, ok := v.(unknown); ok {
			c.refuse("argument %s is %s", name, string(u))
		}
	}
}

// has reports whether the argument was given and is not None.
func (c *Call) has(name string) bool { return c.value(name) != nil }

// first is the argument under the first of the names that was given.
func (c *Call) first(names ...string) string {
	for _, n := range names {
		if c.has(n) {
			return n
		}
	}
	return names[0]
}

// x is the tensor of that name as a node, nil where there is none.
func (c *Call) x(name string) *ops.Node {
	l, ok := c.value(name).(*leaf)
	if !ok {
		return nil
	}
	return c.node(l)
}

func (c *Call) node(l *leaf) *ops.Node {
	n := c.nodes[l]
	if n == nil {
		n = c.input(l.t)
		c.nodes[l] = n
	}
	return n
}

// input is a new input of the graph, fed with t.
func (c *Call) input(t *tensor.Tensor) *ops.Node {
	n := c.g.Input(fmt.Sprintf("%s%d", c.prefix, len(c.feeds)), t.DType(), t.Shape()...)
	c.feeds[n] = t
	return n
}

// xs are the tensors of a list.
func (c *Call) xs(name string) []*ops.Node {
	var all []*ops.Node
	switch v := c.value(name).(type) {
	case *leaf:
		all = append(all, c.node(v))
	case []any:
		for _, e := range v {
			switch e := e.(type) {
			case *leaf:
				all = append(all, c.node(e))
			case []any: // a list as the only one of *tensors
				for _, e := range e {
					if l, ok := e.(*leaf); ok {
						all = append(all, c.node(l))
					}
				}
			}
		}
	}
	return all
}

// operand is a tensor or a number, which takes the dtype of like.
func (c *Call) operand(name string, like *ops.Node) *ops.Node {
	if n := c.x(name); n != nil {
		return n
	}
	return ops.ScalarLike(like, c.float(name, 0))
}

// host is a tensor whose elements decide which graph is built, as the lengths of parts.
func (c *Call) host(name string) *tensor.Tensor {
	l, ok := c.value(name).(*leaf)
	if !ok {
		c.refuse("argument %s is no tensor", name)
	}
	return l.t
}

func (c *Call) float(name string, otherwise float64) float64 {
	v := c.value(name)
	if v == nil {
		return otherwise
	}
	return c.toFloat(name, v)
}

func (c *Call) toFloat(name string, v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	case bool:
		if v {
			return 1
		}
		return 0
	case *leaf:
		if v.t.Len() == 1 {
			return v.t.Float64At(0)
		}
	}
	c.refuse("argument %s is no number", name)
	return 0
}

func (c *Call) int(name string, otherwise int) int {
	return int(c.float(name, float64(otherwise)))
}

// ints is a list of integers; a single one is a list too.
func (c *Call) ints(name string) []int {
	switch v := c.value(name).(type) {
	case nil:
		return nil
	case []any:
		all := make([]int, 0, len(v))
		for _, e := range v {
			if e, ok := e.([]any); ok && len(v) == 1 { // a list as the only one of *sizes
				for _, e := range e {
					all = append(all, int(c.toFloat(name, e)))
				}
				return all
			}
			all = append(all, int(c.toFloat(name, e)))
		}
		return all
	case *leaf:
		all := make([]int, v.t.Len())
		for i := range all {
			all[i] = int(v.t.Float64At(i))
		}
		return all
	default:
		return []int{int(c.toFloat(name, v))}
	}
}

// floats is a list of numbers.
func (c *Call) floats(name string) []float64 {
	v, ok := c.value(name).([]any)
	if !ok {
		return []float64{c.float(name, 0)}
	}
	all := make([]float64, len(v))
	for i, e := range v {
		all[i] = c.toFloat(name, e)
	}
	return all
}

// numbers are the elements of a tensor, which decide which graph is built.
func (c *Call) numbers(name string) []float64 {
	t := c.host(name)
	all := make([]float64, t.Len())
	for i := range all {
		all[i] = t.Float64At(i)
	}
	return all
}

func (c *Call) bool(name string, otherwise bool) bool {
	if v, ok := c.value(name).(bool); ok {
		return v
	}
	if c.has(name) {
		return c.float(name, 0) != 0
	}
	return otherwise
}

func (c *Call) str(name, otherwise string) string {
	if v, ok := c.value(name).(string); ok {
		return v
	}
	return otherwise
}

func (c *Call) dtype(name string, otherwise tensor.DType) tensor.DType {
	if v, ok := c.value(name).(tensor.DType); ok {
		return v
	}
	return otherwise
}

// as sets the text of the call where it is not the row's.
func (c *Call) as(text string) { c.text = text }

// each repeats a single number for every one of n axes.
func (c *Call) each(name string, n, otherwise int) []int {
	v := c.ints(name)
	switch {
	case len(v) == 0:
		return slices.Repeat([]int{otherwise}, n)
	case len(v) == 1:
		return slices.Repeat(v, n)
	case len(v) != n:
		c.refuse("argument %s has %d numbers, not %d", name, len(v), n)
	}
	return v
}

// floatLeaves are the tensors that may have derivatives, in PyTorch's order: those of the row's Grads, or all of floats.
func (c *Call) floatLeaves(grads string) []*leaf {
	wanted := strings.Fields(grads)
	var all []*leaf
	var add func(v any)
	add = func(v any) {
		switch v := v.(type) {
		case *leaf:
			if v.t.DType().IsFloat() {
				all = append(all, v)
			}
		case []any:
			for _, e := range v {
				add(e)
			}
		}
	}
	for _, a := range c.order {
		if len(wanted) == 0 || slices.Contains(wanted, a.name) {
			add(a.value)
		}
	}
	return all
}
