package opinfo

import (
	"slices"
	"strings"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// parts are the families of the table.
var parts = []func() []*Row{elementwise, activations, pairwise, creation, shape, decompositions, layers, products, losses, reductions,
	transforms, masked, layout, indexing, statistics, dependent, special}

// qualified is a function of the package that has an op.
func qualified(function, op string) string {
	if pkg, _, below := strings.Cut(op, "."); below {
		return pkg + "." + function
	}
	return "ops." + function
}

// one is a row for an op of one operand of floats; PyTorch takes integers for float32.
func one(torch, function, op string) *Row {
	return &Row{Torch: torch, Go: qualified(function, op) + "(x)", Build: func(c *Call) []*ops.Node {
		return list(ops.Apply(op, nil, c.floating("input")))
	}}
}

// oneNumber is a row for an op of one operand of any number.
func oneNumber(torch, function, op string) *Row {
	return &Row{Torch: torch, Go: "ops." + function + "(x)", Build: func(c *Call) []*ops.Node {
		return list(ops.Apply(op, nil, c.x("input")))
	}}
}

// two is a row for an op of two operands, which broadcast.
func two(torch, function, op string) *Row {
	return &Row{Torch: torch, Signature: "input other", Go: "ops." + function + "(x, y)", Build: func(c *Call) []*ops.Node {
		x, y := c.pair("input", "other")
		return list(ops.Apply(op, nil, x, y))
	}}
}

// twoFloats is two for an op of floats; PyTorch takes integers for float32.
func twoFloats(torch, function, op string) *Row {
	r := two(torch, function, op)
	r.Build = func(c *Call) []*ops.Node {
		x, y := c.pair("input", "other")
		return list(ops.Apply(op, nil, asFloat(x), asFloat(y)))
	}
	return r
}

// also is a row under another name.
func also(torch string, of *Row) *Row {
	r := *of
	r.Torch = torch
	return &r
}

func list(n ...*ops.Node) []*ops.Node { return n }

// floating is a tensor, of float32 where it is of integers or bool.
func (c *Call) floating(name string) *ops.Node { return asFloat(c.x(name)) }

func asFloat(x *ops.Node) *ops.Node {
	if x != nil && !x.DType().IsFloat() {
		return ops.Cast(x, tensor.Float32)
	}
	return x
}

// pair are two operands with the dtype that PyTorch gives the result: tensors of any rank go before scalars, floats before integers.
func (c *Call) pair(a, b string) (x, y *ops.Node) {
	x, y = c.x(a), c.x(b)
	switch {
	case x == nil && y == nil:
		c.refuse("neither %s nor %s is a tensor", a, b)
	case x == nil:
		y = c.besideNumber(a, y)
		return scalar(y, c.float(a, 0)), y
	case y == nil:
		x = c.besideNumber(b, x)
		return x, scalar(x, c.float(b, 0))
	}
	dt := promoted(x, y)
	return cast(x, dt), cast(y, dt)
}

func (c *Call) besideNumber(name string, x *ops.Node) *ops.Node {
	if _, ok := c.value(name).(float64); ok {
		return asFloat(x)
	}
	return x
}

func kindOf(dt tensor.DType) int {
	switch {
	case dt.IsFloat():
		return 2
	case dt.IsInt():
		return 1
	}
	return 0
}

// promoted is the dtype of a result of x and y.
func promoted(x, y *ops.Node) tensor.DType {
	a, b := x.DType(), y.DType()
	ka, kb := kindOf(a), kindOf(b)
	switch {
	case a == b, ka > kb:
		return a
	case kb > ka:
		return b
	case x.Rank() > 0 && y.Rank() == 0:
		return a
	case y.Rank() > 0 && x.Rank() == 0:
		return b
	}
	return max(a, b) // in the order of widths
}

func cast(x *ops.Node, dt tensor.DType) *ops.Node {
	if x.DType() == dt {
		return x
	}
	return ops.Cast(x, dt)
}

func scalar(like *ops.Node, v float64) *ops.Node { return ops.ScalarLike(like, wrapped(like, v)) }

// wrapped is a number beside x: PyTorch wraps a negative one beside uint8.
func wrapped(x *ops.Node, v float64) float64 {
	if x.DType() == tensor.Uint8 && v < 0 {
		v += 256
	}
	return v
}

// times and div are arithmetic as PyTorch broadcasts it.
func times(x *ops.Node, v float64) *ops.Node { return ops.Apply("mul", nil, x, scalar(x, v)) }
func div(x, y *ops.Node) *ops.Node           { return ops.Apply("div", nil, x, y) }

// axis counts an axis of x from its start.
func axis(x *ops.Node, i int) int { return norm(i, x.Rank()) }

func norm(i, rank int) int {
	if i < 0 {
		i += max(rank, 1)
	}
	return i
}

// axes are those of an argument; none of it, or an empty one, means all. An axis of a tensor of rank 0 is none.
func (c *Call) axes(name string, x *ops.Node) []int {
	all := make([]int, x.Rank())
	for i := range all {
		all[i] = i
	}
	given := c.ints(name)
	if len(given) == 0 || x.Rank() == 0 {
		return all
	}
	var axes []int
	for _, a := range given {
		axes = append(axes, axis(x, a))
	}
	slices.Sort(axes)
	return slices.Compact(axes)
}

// keep puts reduced axes back.
func keep(y, x *ops.Node, axes []int) *ops.Node {
	shape := x.Shape()
	for _, a := range axes {
		shape[a] = 1
	}
	return ops.Reshape(y, shape...)
}

// kept is y, reduced over axes of x, with these axes where the argument keepdim wants them.
func (c *Call) kept(y, x *ops.Node, axes []int) *ops.Node {
	if c.bool("keepdim", false) && x.Rank() > 0 {
		return keep(y, x, axes)
	}
	return y
}

func full(g *ops.Graph, dt tensor.DType, v float64, shape []int) *ops.Node {
	return g.Full(dt, v, shape...)
}

func expand(x *ops.Node, shape []int) *ops.Node { return ops.BroadcastTo(x, shape...) }
