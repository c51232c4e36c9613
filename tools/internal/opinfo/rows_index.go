package opinfo

import (
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// indexing are ops that read and write elements at positions.
func indexing() []*Row {
	row := func(torch, signature, text string, f func(c *Call, x *ops.Node) *ops.Node) *Row {
		return &Row{Torch: torch, Signature: signature, Go: text, Build: func(c *Call) []*ops.Node { return list(f(c, c.x("input"))) }}
	}
	reductions := map[string]string{"": "set", "sum": "add", "add": "add", "prod": "mul", "multiply": "mul", "mean": "mean", "amin": "min",
		"amax": "max"}
	scattered := func(torch, signature, text string) *Row {
		return row(torch, signature, text, func(c *Call, x *ops.Node) *ops.Node {
			how := reductions[c.str("reduce", "")]
			if torch == "scatter_add" {
				how = "add"
			}
			return c.scatter(x, c.int("dim", 0), c.x("index"), c.operand(c.first("src", "value"), x), how, !c.bool("include_self", true))
		})
	}
	scatterReduce := scattered("scatter_reduce", "input dim index src reduce include_self",
		"ops.ScatterReduce(x, dim, idx, src, reduction, &ops.ScatterOptions{ExcludeSelf: !includeSelf})")
	rows := []*Row{
		row("gather", "input dim index sparse_grad", "ops.TakeAlong(x, dim, idx)", func(c *Call, x *ops.Node) *ops.Node {
			a, idx := c.int("dim", 0), c.x("index")
			if x.Rank() == 0 {
				return ops.Reshape(ops.TakeAlong(ops.Reshape(x, 1), 0, ops.Reshape(idx, idx.Size())), idx.Shape()...)
			}
			for i := range x.Rank() { // PyTorch reads the part of x that the indices cover
				if i != axis(x, a) && idx.Dim(i) < x.Dim(i) {
					c.as("ops.TakeAlong(ops.Slice(x, ranges...), dim, idx)")
					x = cutOut(x, i, 0, idx.Dim(i))
				}
			}
			return ops.TakeAlong(x, a, idx)
		}),
		row("take_along_dim", "input indices dim", "ops.TakeAlong(x, dim, idx)", func(c *Call, x *ops.Node) *ops.Node {
			idx := c.x("indices")
			if !c.has("dim") {
				return ops.TakeAlong(ops.Reshape(x, x.Size()), 0, ops.Reshape(idx, idx.Size()))
			}
			a := axis(x, c.int("dim", 0))
			sx, si := x.Shape(), idx.Shape() // the other axes broadcast
			for i := range sx {
				if i != a {
					sx[i], si[i] = max(sx[i], si[i]), max(sx[i], si[i])
				}
			}
			return ops.TakeAlong(expand(x, sx), a, expand(idx, si))
		}),
		row("index_select", "input dim index", "ops.Gather(x, dim, idx)", func(c *Call, x *ops.Node) *ops.Node {
			if x.Rank() == 0 {
				return ops.Reshape(ops.Gather(ops.Reshape(x, 1), 0, c.x("index")))
			}
			return ops.Gather(x, axis(x, c.int("dim", 0)), c.x("index"))
		}),
		row("nn.functional.one_hot", "input num_classes", "ops.OneHot(ids, n, tensor.Int64)", func(c *Call, x *ops.Node) *ops.Node {
			n := c.int("num_classes", -1)
			if n < 0 {
				for _, v := range c.ints("input") {
					n = max(n, v+1)
				}
			}
			return ops.OneHot(x, n, tensor.Int64)
		}),
		row("__getitem__", "input index", "ops.Gather(x, 0, idx)", func(c *Call, x *ops.Node) *ops.Node {
			if idx := c.x("index"); idx != nil && idx.DType().IsInt() {
				return ops.Gather(x, 0, idx)
			}
			if _, ok := c.value("index").([]any); !ok {
				c.refuse("an index that is neither whole numbers nor their tensor")
			}
			var rows []int64
			for _, i := range c.ints("index") {
				rows = append(rows, int64(i))
			}
			return ops.Gather(x, 0, c.g.Const(tensor.Must(tensor.FromSlice(rows, len(rows)))))
		}),
		row("take", "input index", "ops.Take(x, idx)", func(c *Call, x *ops.Node) *ops.Node {
			return ops.Take(x, c.x("index"))
		}),
		scattered("scatter", "input dim index src reduce", "ops.Scatter(x, dim, idx, src)"),
		scattered("scatter_add", "input dim index src", "ops.ScatterAdd(x, dim, idx, src)"),
		scatterReduce, also("scatter_reduce.sum", scatterReduce), also("scatter_reduce.prod", scatterReduce),
		also("scatter_reduce.mean", scatterReduce),
		also("scatter_reduce.amin", scatterReduce), also("scatter_reduce.amax", scatterReduce),
		row("index_add", "input dim index source alpha", "ops.IndexAdd(x, dim, idx, source)", func(c *Call, x *ops.Node) *ops.Node {
			u := c.x("source")
			if a := c.float("alpha", 1); a != 1 {
				c.as("ops.IndexAdd(x, dim, idx, ops.Mul(source, alpha))")
				u = ops.Mul(u, scalar(u, a))
			}
			return c.scatterSlices(x, u, "add", false)
		}),
		row("index_copy", "input dim index source", "ops.IndexCopy(x, dim, idx, source)", func(c *Call, x *ops.Node) *ops.Node {
			return c.scatterSlices(x, c.x("source"), "set", false)
		}),
		row("index_fill", "input dim index value", "ops.IndexFill(x, dim, idx, value)", func(c *Call, x *ops.Node) *ops.Node {
			s := x.Shape()
			if len(s) > 0 {
				s[axis(x, c.int("dim", 0))] = c.x("index").Size()
			}
			return c.scatterSlices(x, expand(c.operand("value", x), s), "set", false)
		}),
		row("index_reduce", "input dim index source reduce include_self",
			"ops.IndexReduce(x, dim, idx, source, reduction, &ops.ScatterOptions{ExcludeSelf: !includeSelf})", func(c *Call, x *ops.Node) *ops.Node {
				return c.scatterSlices(x, c.x("source"), reductions[c.str("reduce", "")], !c.bool("include_self", true))
			}),
		row("put", "input index source accumulate", "ops.PutFlat(x, idx, values, accumulate)", func(c *Call, x *ops.Node) *ops.Node {
			idx, u := c.x("index"), c.x("source")
			return ops.PutFlat(x, idx, ops.Reshape(u, idx.Shape()...), c.bool("accumulate", false))
		}),
		row("index_put", "input indices values accumulate", "ops.IndexPut(x, indices, values, accumulate)",
			func(c *Call, x *ops.Node) *ops.Node { return c.indexPut(x) }),
		row("nn.functional.embedding", "input weight padding_idx", "ops.Embedding(table, ids)", func(c *Call, x *ops.Node) *ops.Node {
			w := c.x("weight")
			if x.DType().IsFloat() { // OpInfo gives the table first
				x, w = w, x
			}
			rows := ops.Embedding(w, x)
			if pad := c.int("padding_idx", -w.Dim(0)-1); pad >= -w.Dim(0) { // a row without derivatives
				c.as("ops.Where(ops.Equal(ids, pad), ops.StopGradient(rows), rows)")
				pads := ops.ExpandDims(ops.Equal(x, norm(pad, w.Dim(0))), x.Rank())
				rows = ops.Where(pads, ops.StopGradient(rows), rows)
			}
			return rows
		}),
		row("masked_scatter", "input mask source", "ops.MaskedScatter(x, mask, source)", func(c *Call, x *ops.Node) *ops.Node {
			return call("masked_scatter", nil, broadcastWith(x, c.x("mask")), c.x("mask"), c.x("source"))
		}),
	}
	return rows
}

// scatter writes elements along an axis of x, which may be a scalar.
func (c *Call) scatter(x *ops.Node, dim int, idx, u *ops.Node, how string, excludeSelf bool) *ops.Node {
	a := attrs{"axis": 0, "reduction": how, "exclude_self": excludeSelf}
	if x.Rank() == 0 {
		return ops.Reshape(call("scatter", a, ops.Reshape(x, 1), ops.Reshape(idx, idx.Size()), ops.Reshape(u, u.Size())))
	}
	if u.Rank() == 0 {
		u = expand(u, idx.Shape())
	}
	a["axis"] = axis(x, dim)
	return call("scatter", a, x, idx, u)
}

// scatterSlices writes slices along an axis of x at the positions of a vector.
func (c *Call) scatterSlices(x, u *ops.Node, how string, excludeSelf bool) *ops.Node {
	idx := c.x("index")
	a := attrs{"axis": 0, "reduction": how, "exclude_self": excludeSelf}
	if x.Rank() == 0 {
		return ops.Reshape(call("scatter", a, ops.Reshape(x, 1), ops.Reshape(idx, idx.Size()), ops.Reshape(u, u.Size())))
	}
	a["axis"] = axis(x, c.int("dim", 0))
	return call("scatter", a, x, ops.Reshape(idx, idx.Size()), u)
}

// indexPut writes values where tensors of indices, or a mask, say.
func (c *Call) indexPut(x *ops.Node) *ops.Node {
	idx, v := c.xs("indices"), c.x("values")
	add := c.bool("accumulate", false)
	if l, ok := c.value("indices").([]any)[0].(*leaf); ok && len(idx) == 1 && !add && l.t.DType().IsInt() && repeats(l.t) {
		// Of several values for one place the last stays; PyTorch leaves open which, and gives all of them its derivative.
		c.as("ops.Add(ops.IndexPut(x, indices, ops.StopGradient(values), false), ops.IndexAdd(zeros, 0, idx, ops.Sub(values, ops.StopGradient(values))))")
		fixed := ops.StopGradient(v)
		u := expand(ops.Sub(v, fixed), append(idx[0].Shape(), x.Shape()[1:]...))
		return ops.Add(ops.IndexPut(x, idx, fixed, false), ops.IndexPut(c.g.Full(x.DType(), 0, x.Shape()...), idx, u, true))
	}
	if len(idx) != 1 || idx[0].DType() != tensor.Bool {
		return ops.IndexPut(x, idx, v, add)
	}
	i, shape := idx[0], x.Shape()
	if i.Rank() > 1 || v.Rank() == x.Rank() && v.Dim(0) != 1 {
		c.refuse("a mask of several axes, or values for each of its places")
	}
	c.as("ops.Where(mask, values, x)")
	v = expand(v, shape)
	if add {
		v = ops.Add(x, v)
	}
	return ops.Where(expand(ops.Reshape(i, append([]int{i.Dim(0)}, ones(x.Rank()-1)...)...), shape), v, x)
}

func ones(n int) []int {
	s := make([]int, max(n, 0))
	for i := range s {
		s[i] = 1
	}
	return s
}

// broadcastWith is x in the shape that it has together with y.
func broadcastWith(x, y *ops.Node) *ops.Node {
	s, err := tensor.Broadcast(x.Shape(), y.Shape())
	if err != nil {
		return x
	}
	return expand(x, s)
}

// repeats reports whether a position stands twice among indices.
func repeats(t *tensor.Tensor) bool {
	seen := map[float64]bool{}
	for _, v := range t.All() {
		if seen[v] {
			return true
		}
		seen[v] = true
	}
	return false
}
