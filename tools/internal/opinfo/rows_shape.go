package opinfo

import (
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// shape are ops that move elements and compute nothing.
func shape() []*Row {
	reshape := &Row{Torch: "reshape", Signature: "input *shape", Go: "ops.Reshape(x, shape...)", Build: func(c *Call) []*ops.Node {
		x := c.x("input")
		return list(ops.Reshape(x, infer(c.ints("shape"), x.Size())...))
	}}
	reshapeAs := &Row{Torch: "reshape_as", Signature: "input other", Go: "ops.Reshape(x, y.Shape()...)", Build: func(c *Call) []*ops.Node {
		return list(ops.Reshape(c.x("input"), c.host("other").Shape()...))
	}}
	reshapeAs.Grads = "input"
	transpose := func(torch string, perm func(c *Call, x *ops.Node) []int) *Row {
		return &Row{Torch: torch, Signature: "input dim0 dim1", Go: "ops.Transpose(x, perm...)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			if x.Rank() < 2 {
				return list(ops.Reshape(x, x.Shape()...))
			}
			return list(ops.Transpose(x, perm(c, x)...))
		}}
	}
	last := func(_ *Call, x *ops.Node) []int { return swapped(x.Rank(), -1, -2) }
	split := func(torch, signature, text string, sizes func(c *Call, n int) []int) *Row {
		return &Row{Torch: torch, Signature: signature, Go: text, Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			a := axis(x, c.int("dim", 0))
			return ops.SplitSizes(x, a, sizes(c, x.Dim(a))...)
		}}
	}
	bySize := func(c *Call, n int) []int {
		if _, ok := c.value("split_size_or_sections").([]any); ok {
			return c.ints("split_size_or_sections")
		}
		return pieces(n, c.int("split_size_or_sections", 1))
	}
	return []*Row{
		reshape, also("view", reshape), reshapeAs, also("view_as", reshapeAs),
		{Torch: "broadcast_to", Signature: "input size", Go: "ops.BroadcastTo(x, shape...)", Build: func(c *Call) []*ops.Node {
			return list(expand(c.x("input"), c.ints("size")))
		}},
		{Torch: "expand_as", Signature: "input other", Go: "ops.BroadcastTo(x, y.Shape()...)", Grads: "input", Build: func(c *Call) []*ops.Node {
			return list(expand(c.x("input"), c.host("other").Shape()))
		}},
		{Torch: "permute", Signature: "input *dims", Go: "ops.Transpose(x, dims...)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			if x.Rank() == 0 {
				return list(ops.Reshape(x))
			}
			perm := c.ints("dims")
			for i, p := range perm {
				perm[i] = axis(x, p)
			}
			return list(ops.Transpose(x, perm...))
		}},
		transpose("transpose", func(c *Call, x *ops.Node) []int { return swapped(x.Rank(), c.int("dim0", 0), c.int("dim1", 1)) }),
		transpose("swapaxes", func(c *Call, x *ops.Node) []int { return swapped(x.Rank(), c.int("dim0", 0), c.int("dim1", 1)) }),
		transpose("t", last), transpose("T", func(_ *Call, x *ops.Node) []int { return reversed(x.Rank()) }),
		transpose("H", last), transpose("mT", last), transpose("mH", last), transpose("adjoint", last),
		split("split", "input split_size_or_sections dim", "ops.SplitSizes(x, dim, sizes...)", bySize),
		split("split.list_args", "input split_size_or_sections dim", "ops.SplitSizes(x, dim, sizes...)", bySize),
		split("split_with_sizes", "input split_size_or_sections dim", "ops.SplitSizes(x, dim, sizes...)", bySize),
		{Torch: "squeeze", Signature: "input dim", Go: "ops.Squeeze(x, dim)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			shape := x.Shape()
			if c.has("dim") {
				if a := axis(x, c.int("dim", 0)); x.Rank() > 0 && shape[a] == 1 {
					shape = slices.Delete(shape, a, a+1)
				}
			} else {
				shape = slices.DeleteFunc(shape, func(n int) bool { return n == 1 })
			}
			return list(ops.Reshape(x, shape...))
		}},
		{Torch: "unsqueeze", Signature: "input dim", Go: "ops.ExpandDims(x, dim)", Build: func(c *Call) []*ops.Node {
			return list(ops.ExpandDims(c.x("input"), c.int("dim", 0)))
		}},
		{Torch: "cat", Signature: "tensors dim", Go: "ops.Concat(dim, xs...)", Build: func(c *Call) []*ops.Node {
			xs := c.xs("tensors")
			if all := slices.DeleteFunc(slices.Clone(xs), func(x *ops.Node) bool { return x.Rank() == 1 && x.Dim(0) == 0 }); len(all) > 0 {
				xs = all // PyTorch lets empty vectors stand beside tensors of any rank
			}
			return list(ops.Concat(axis(xs[0], c.int("dim", 0)), xs...))
		}},
		{Torch: "broadcast_tensors", Signature: "*tensors", Go: "ops.BroadcastTo(x, shape...)", Note: "one call for each",
			Build: func(c *Call) []*ops.Node {
				xs := c.xs("tensors")
				shape := xs[0].Shape()
				for _, x := range xs[1:] {
					if both, err := tensor.Broadcast(shape, x.Shape()); err == nil { // else BroadcastTo tells
						shape = both
					}
				}
				for i, x := range xs {
					xs[i] = expand(x, shape)
				}
				return xs
			}},
		{Torch: "resize_", Signature: "input *size", Go: "ops.Reshape(x, shape...)", Note: "of as many elements; in place in PyTorch",
			Build: func(c *Call) []*ops.Node {
				return list(ops.Reshape(c.x("input"), c.ints("size")...))
			}},
		{Torch: "resize_as_", Signature: "input other", Go: "ops.Reshape(x, y.Shape()...)", Grads: "input",
			Note: "of as many elements; in place in PyTorch", Build: func(c *Call) []*ops.Node {
				return list(ops.Reshape(c.x("input"), c.host("other").Shape()...))
			}},
		{Torch: "as_strided", Signature: "input size stride storage_offset", Go: "ops.Take(x, positions)",
			Note: "positions are a constant that the strides give", Build: func(c *Call) []*ops.Node {
				return list(ops.Take(c.x("input"), c.strided()))
			}},
		{Torch: "stack", Signature: "tensors dim", Go: "ops.Stack(dim, xs...)", Build: func(c *Call) []*ops.Node {
			xs := c.xs("tensors")
			return list(ops.Stack(norm(c.int("dim", 0), xs[0].Rank()+1), xs...))
		}},
		{Torch: "flip", Signature: "input *dims", Go: "ops.Flip(x, dims...)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			var axes []int
			for _, a := range c.ints("dims") {
				axes = append(axes, axis(x, a))
			}
			if len(axes) == 0 {
				return list(ops.Reshape(x, x.Shape()...))
			}
			return list(ops.Flip(x, axes...))
		}},
		{Torch: "fliplr", Go: "ops.Flip(x, 1)", Build: func(c *Call) []*ops.Node { return list(ops.Flip(c.x("input"), 1)) }},
		{Torch: "flipud", Go: "ops.Flip(x, 0)", Build: func(c *Call) []*ops.Node { return list(ops.Flip(c.x("input"), 0)) }},
		{Torch: "slice", Signature: "input dim start end step", Go: "ops.Slice(x, ops.Range{Axis: dim, Start: start, Stop: end, Step: step})",
			Build: func(c *Call) []*ops.Node {
				x := c.x("input")
				a := axis(x, c.int("dim", 0))
				from, to, step := c.sliced(x.Dim(a))
				return list(slice(x, a, from, to, step))
			}},
	}
}

// strided are the positions, among all elements, of a view with the call's size, stride and offset.
func (c *Call) strided() *ops.Node {
	size, stride := c.ints("size"), c.ints("stride")
	n := 1
	for _, s := range size {
		n *= s
	}
	positions, at := make([]int64, n), make([]int, len(size))
	for i := range positions {
		p := c.int("storage_offset", 0)
		for a, k := range at {
			p += k * stride[a]
		}
		positions[i] = int64(p)
		for a := len(at) - 1; a >= 0; a-- {
			if at[a]++; at[a] < size[a] {
				break
			}
			at[a] = 0
		}
	}
	return c.g.Const(tensor.Must(tensor.FromSlice(positions, size...)))
}

// sliced are start, end and step of a slice of an axis of n.
func (c *Call) sliced(n int) (from, to, step int) {
	clamp := func(i int) int { return min(max(i, 0), n) }
	from, to, step = c.int("start", 0), c.int("end", n), c.int("step", 1)
	if from < 0 {
		from += n
	}
	if to < 0 {
		to += n
	}
	return clamp(from), clamp(to), step
}

// slice is x[from:to:step] along an axis, also where that is empty.
func slice(x *ops.Node, a, from, to, step int) *ops.Node {
	return ops.Slice(x, ops.Range{Axis: a, Start: from, Stop: max(from, to), Step: step, Exact: true})
}

func cutOut(x *ops.Node, a, at, n int) *ops.Node { return slice(x, a, at, at+n, 1) }

// infer fills in a size of -1.
func infer(shape []int, size int) []int {
	at, rest := -1, 1
	for i, n := range shape {
		if n < 0 {
			at = i
		} else {
			rest *= n
		}
	}
	if at >= 0 {
		shape = slices.Clone(shape)
		shape[at] = 0
		if rest > 0 {
			shape[at] = size / rest
		}
	}
	return shape
}

// pieces are parts of n that are as long as each, the last maybe shorter.
func pieces(n, each int) []int {
	var all []int
	for at := 0; at < n || at == 0; at += max(each, 1) {
		all = append(all, min(each, n-at))
	}
	return all
}

func swapped(rank, a, b int) []int {
	p := identityPerm(rank)
	a, b = norm(a, rank), norm(b, rank)
	p[a], p[b] = p[b], p[a]
	return p
}

func reversed(rank int) []int {
	p := identityPerm(rank)
	slices.Reverse(p)
	return p
}

func identityPerm(rank int) []int {
	p := make([]int, rank)
	for i := range p {
		p[i] = i
	}
	return p
}
