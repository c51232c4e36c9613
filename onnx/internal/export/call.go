package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// rule writes a node and returns the names of its results, or nil where its operator does not compute the same as the node.
type rule func(c *call) []string

// rules are the export rules of all ops that have one, by name.
var rules = make(map[string]rule, 256)

func define(name string, r rule) bool {
	if rules[name] != nil {
		panic("export: two rules for " + name)
	}
	rules[name] = r
	return true
}

// call is a node that is being written.
type call struct {
	x      *exporter
	n      *ops.Node
	in     []*ops.Node
	attrs  map[string]any
	reason string // why it cannot be written
	wide   bool   // floats of 16 bits are computed in 32
}

// short reports floats of 16 bits.
func short(dt tensor.DType) bool { return dt == tensor.Float16 || dt == tensor.BFloat16 }

// wide computes floats of 16 bits in 32, and rounds the results: for functions of several steps, which round once here.
func wide(r rule) rule {
	return func(c *call) []string {
		c.wide = true
		names := r(c)
		if c.wide = false; short(c.dtype()) && len(names) > 0 {
			names[0] = c.cast(names[0], c.dtype())
		}
		return names
	}
}

// refused says why no rule fits.
func (c *call) refused(format string, args ...any) []string {
	c.reason = fmt.Sprintf(format, args...)
	return nil
}

// arg writes operand i and is its name.
func (c *call) arg(i int) string {
	v := c.x.node(c.in[i])
	if c.wide && short(c.in[i].DType()) {
		return c.cast(v, tensor.Float32)
	}
	return v
}

// args writes all operands.
func (c *call) args() []string {
	names := make([]string, len(c.in))
	for i := range c.in {
		names[i] = c.arg(i)
	}
	return names
}

func (c *call) dtype() tensor.DType {
	if dt := c.n.DType(); !c.wide || !short(dt) {
		return dt
	}
	return tensor.Float32
}

func (c *call) shape(i int) []int { return c.in[i].Shape() }

// opset is the version that is written.
func (c *call) opset() int64 { return c.x.o.Opset }

func (c *call) int(name string) int {
	v, _ := c.attrs[name].(int64)
	return int(v)
}

func (c *call) float(name string) float64 { return floatOf(c.attrs[name]) }

func floatOf(v any) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case int64:
		return float64(v)
	case string: // not finite, or -0
		var f float64
		fmt.Sscan(v, &f)
		return f
	}
	return 0
}

func (c *call) bool(name string) bool {
	v, _ := c.attrs[name].(bool)
	return v
}

func (c *call) str(name string) string {
	v, _ := c.attrs[name].(string)
	return v
}

func (c *call) ints(name string) []int { return intsOf(c.attrs[name]) }

func intsOf(v any) []int {
	list, _ := v.([]any)
	var out []int
	for _, e := range list {
		if i, ok := e.(int64); ok {
			out = append(out, int(i))
		}
	}
	return out
}

// axisOf is the axis of a node, counted from the front.
func axisOf(n *ops.Node) int {
	attrs, _ := n.Op().Attributes.Encode(n.Attr())
	axis, _ := attrs["axis"].(int64)
	if axis < 0 {
		axis += int64(n.Operands()[0].Rank())
	}
	return int(axis)
}

// Attributes of nodes.

func anInt(name string, v int) *model.Attr {
	return &model.Attr{Name: name, Type: model.AttrInt, Int: int64(v)}
}

func flag(name string, v bool) *model.Attr {
	if v {
		return anInt(name, 1)
	}
	return anInt(name, 0)
}

func aFloat(name string, v float64) *model.Attr {
	return &model.Attr{Name: name, Type: model.AttrFloat, Float: float32(v)}
}

func text(name, v string) *model.Attr {
	return &model.Attr{Name: name, Type: model.AttrString, String: []byte(v)}
}

func texts(name string, v ...string) *model.Attr {
	a := &model.Attr{Name: name, Type: model.AttrStrings}
	for _, s := range v {
		a.Strings = append(a.Strings, []byte(s))
	}
	return a
}

func ints(name string, v []int) *model.Attr {
	a := &model.Attr{Name: name, Type: model.AttrInts, Ints: []int64{}}
	for _, i := range v {
		a.Ints = append(a.Ints, int64(i))
	}
	return a
}

// op adds a node of one result and is its name. A type that the operator does not take is widened.
func (c *call) op(name string, in []string, attrs ...*model.Attr) string {
	return c.ops(1, name, in, attrs...)[0]
}

// do is op as the result of a rule.
func (c *call) do(name string, in []string, attrs ...*model.Attr) []string {
	return []string{c.op(name, in, attrs...)}
}

// ops adds a node of several results.
func (c *call) ops(results int, name string, in []string, attrs ...*model.Attr) []string {
	s, ok := signatures()[name]
	if !ok {
		panic("export: the operator " + name + " is not in the table of signatures")
	}
	if slices.Contains(in, "refused") {
		return slices.Repeat([]string{"refused"}, results)
	}
	own := c.x.types[in[min(s.typed, len(in)-1)]]
	wide := own
	if !s.takes(own, c.opset()) {
		if wide = s.wider(own, c.opset()); !wide.Valid() {
			return slices.Repeat([]string{c.x.refuse(c.n, fmt.Sprintf("operator %s takes no %v", name, own))}, results)
		}
		in = slices.Clone(in)
		for i, v := range in {
			if v != "" && c.x.types[v] == own && !slices.Contains(s.other, i) {
				in[i] = c.cast(v, wide)
			}
		}
	}
	outs := c.add(results, name, in, attrs...)
	for i, v := range outs {
		if i < len(s.results) && s.results[i].Valid() { // whatever the type of the operands is
			c.x.types[v] = s.results[i]
			continue
		}
		if c.x.types[v] = wide; wide != own {
			outs[i] = c.cast(v, own)
		}
	}
	return outs
}

// add appends a node as it stands.
func (c *call) add(results int, name string, in []string, attrs ...*model.Attr) []string {
	n := &model.Node{Op: name, Attrs: attrs}
	if strings.HasPrefix(name, "Tree") {
		n.Domain = domainML
	}
	n.Inputs = in
	for len(n.Inputs) > 0 && n.Inputs[len(n.Inputs)-1] == "" {
		n.Inputs = n.Inputs[:len(n.Inputs)-1]
	}
	for range results {
		n.Outputs = append(n.Outputs, c.x.fresh(c.n.Op().Name))
	}
	n.Name = n.Outputs[0]
	c.x.body.add(n)
	if c.x.body.outer == nil {
		for _, v := range n.Outputs {
			c.x.made[v] = true
		}
	}
	return slices.Clone(n.Outputs)
}

// cast is v in another type.
func (c *call) cast(v string, to tensor.DType) string {
	if v == "refused" || c.x.types[v] == to {
		return v
	}
	out := c.add(1, "Cast", []string{v}, anInt("to", int(model.TypeOf(to))))[0]
	c.x.types[out] = to
	return out
}
