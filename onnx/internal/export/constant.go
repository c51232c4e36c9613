package export

import (
	"fmt"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// initial adds an initialiser of the main graph, once for equal contents that are small.
func (x *exporter) initial(name string, t *tensor.Tensor) string {
	p, err := model.FromTensor("", t)
	if err != nil {
		x.errs = append(x.errs, err)
		return "refused"
	}
	key := ""
	if name == "" && len(p.Raw) <= 1<<12 {
		key = fmt.Sprint(p.Type, p.Dims, "\x00", string(p.Raw))
		if name := x.constants[key]; name != "" {
			return name
		}
	}
	if name == "" {
		name = x.fresh("const")
	}
	p.Name = name
	x.g.Initializers = append(x.g.Initializers, p)
	x.types[name], x.shapes[name] = t.DType(), t.Shape()
	if key != "" {
		x.constants[key] = name
	}
	return name
}

// number is a scalar of a type.
func (c *call) number(v float64, dt tensor.DType) string { return c.filled(v, dt) }

// filled is a small tensor of equal elements.
func (c *call) filled(v float64, dt tensor.DType, shape ...int) string {
	n, _ := tensor.NumElems(shape)
	all := make([]float64, n)
	for i := range all {
		all[i] = v
	}
	return c.tensor(dt, shape, all)
}

// tensor is an initialiser of a type and shape.
func (c *call) tensor(dt tensor.DType, shape []int, values []float64) string {
	t, err := tensor.FromSlice(values, len(values))
	if err == nil {
		t, err = t.Reshape(shape...)
	}
	if err == nil {
		t, err = tensor.Cast(t, dt)
	}
	if err != nil {
		c.x.errs = append(c.x.errs, err)
		return "refused"
	}
	return c.x.initial("", t)
}

// list is a tensor of integers with one axis.
func (c *call) list(v ...int) string {
	all := make([]int64, len(v))
	for i := range v {
		all[i] = int64(v[i])
	}
	return c.x.initial("", tensor.Must(tensor.FromSlice(all, len(all))))
}

// like is a number of the type of v.
func (c *call) like(v string, f float64) string {
	if v == "refused" {
		return v
	}
	return c.number(f, c.x.types[v])
}

var (
	_ = define("input", func(c *call) []string { return []string{c.x.input(c.n)} })
	_ = define("const", func(c *call) []string {
		t, _ := c.n.Attr().(*tensor.Tensor)
		return []string{c.x.initial("", t)}
	})
	_ = define("variable", func(c *call) []string {
		t, err := c.x.o.Value(c.n)
		if err != nil {
			c.x.errs = append(c.x.errs, err)
			return []string{"refused"}
		}
		name := c.n.Name()
		if _, is := c.x.types[name]; is { // two variables of one name
			name = c.x.fresh(name)
		}
		return []string{c.x.initial(name, t)}
	})
	_ = define("count", func(c *call) []string { return []string{c.countOf(c.n)} })
	_ = define("iota", func(c *call) []string {
		shape, axis := c.n.Shape(), c.n.Attr().(ir.IotaAttr).Axis
		one := make([]int, len(shape))
		for i := range one {
			one[i] = 1
		}
		one[axis] = shape[axis]
		v := make([]float64, shape[axis])
		for i := range v {
			v[i] = float64(i)
		}
		return []string{c.expand(c.tensor(c.dtype(), one, v), one, shape)}
	})
)

// expand repeats v, of shape from, to another.
func (c *call) expand(v string, from, to []int) string {
	if tensor.EqualShapes(from, to) {
		return v
	}
	return c.op("Expand", []string{v, c.list(to...)})
}

// constant is the value of n, where it is a constant.
func constant(n *ops.Node) (*tensor.Tensor, bool) {
	t, ok := n.Attr().(*tensor.Tensor)
	return t, ok && n.Op().Name == "const"
}
