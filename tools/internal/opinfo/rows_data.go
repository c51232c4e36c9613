package opinfo

import (
	"cmp"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// dependent are ops whose results depend on data in size, or that count and search.
func dependent() []*Row {
	positions := func(torch, text string) *Row {
		return &Row{Torch: torch, Signature: "input", Go: text, Note: "Trim cuts the result to the count", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			tuple := c.bool("as_tuple", false)
			if tuple && x.Rank() == 0 {
				x = ops.Reshape(x, 1)
			}
			p, n := ops.NonZero(x, -1)
			if !tuple {
				c.cuts[0] = cut{0, n}
				return list(p)
			}
			c.as("ops.Unstack(positions, 1)")
			each := ops.Unstack(p, 1)
			for i := range each {
				c.cuts[i] = cut{0, n}
			}
			return each
		}}
	}
	uniques := func(torch, text string, f func(x *ops.Node, o *ops.UniqueOptions) ops.Uniques) *Row {
		return &Row{Torch: torch, Signature: "input sorted return_inverse return_counts dim", Go: text, Note: "Trim cuts the results to Number",
			Build: func(c *Call) []*ops.Node {
				x := c.x("input")
				o := &ops.UniqueOptions{}
				if c.has("dim") {
					o.Along, o.Axis = true, axis(x, c.int("dim", 0))
				}
				u := f(x, o)
				c.cuts[0] = cut{max(o.Axis, 0), u.Number}
				out := list(u.Values)
				if c.bool("return_inverse", false) {
					inverse := u.Inverse
					if !o.Along {
						inverse = ops.Reshape(inverse, x.Shape()...)
					}
					out = append(out, inverse)
				}
				if c.bool("return_counts", false) {
					c.cuts[len(out)] = cut{0, u.Number}
					out = append(out, u.Counts)
				}
				return out
			}}
	}
	consecutive := uniques("unique_consecutive", "ops.UniqueConsecutive(x, nil)", ops.UniqueConsecutive)
	consecutive.Signature = "input return_inverse return_counts dim"
	unique := uniques("unique", "ops.Unique(x, nil)", ops.Unique)
	unique.Note += "; the order that PyTorch's sorted=False leaves open is the sorted one, or with FirstSeen the first"
	unique.Canon = func(c *Call, out []*tensor.Tensor) []*tensor.Tensor {
		if c.bool("sorted", true) || c.has("dim") {
			return out
		}
		return sortedUnique(out, c.bool("return_inverse", false))
	}
	segments := func(torch string) *Row {
		return &Row{Torch: torch, Signature: "data reduce lengths offsets axis unsafe initial",
			Go: "ops.SegmentReduce(x, reduction, lengths, &ops.SegmentOptions{Axis: axis, Offsets: offsets, Initial: &initial})",
			Build: func(c *Call) []*ops.Node {
				o := &ops.SegmentOptions{Axis: c.int("axis", 0)}
				if c.has("initial") {
					v := c.float("initial", 0)
					o.Initial = &v
				}
				of := c.x("lengths")
				if of == nil {
					of, o.Offsets = c.x("offsets"), true
				}
				if c.str("reduce", "sum") == "mean" && o.Initial != nil && *o.Initial != 0 {
					c.as("ops.Div(ops.SegmentReduce(x, \"sum\", lengths, o), lengths)") // PyTorch adds what a mean begins with
					x := c.x("data")
					n := of
					if o.Offsets {
						n = diff(of, 1, -1)
					}
					n = ops.Maximum(ops.Cast(n, x.DType()), 1)
					n = ops.Reshape(n, append(n.Shape(), ones(x.Rank()-n.Rank())...)...)
					return list(ops.Div(ops.SegmentReduce(x, "sum", of, o), n))
				}
				return list(ops.SegmentReduce(c.x("data"), c.str("reduce", "sum"), of, o))
			}}
	}
	search := func(torch, sorted, values, text string) *Row {
		return &Row{Torch: torch, Signature: "input " + map[bool]string{true: values, false: sorted}[values != "input"] +
			" out_int32 right side sorter", Go: text, Note: "out_int32: ops.Cast around it", Build: func(c *Call) []*ops.Node {
			s := c.x(sorted)
			right := c.bool("right", false) || c.str("side", "left") == "right"
			y := call("searchsorted", attrs{"right": right}, s, c.operand(values, s), c.x("sorter"))
			if c.bool("out_int32", false) {
				y = ops.Cast(y, tensor.Int32)
			}
			return list(y)
		}}
	}
	trapezoid := func(torch string) *Row {
		return &Row{Torch: torch, Signature: "input x dx dim", Go: "ops.TrapezoidAt(y, x, dim)",
			Note: "steps of equal width: ops.Trapezoid(y, dx, dim)", Build: func(c *Call) []*ops.Node {
				y, a := c.x("input"), c.int("dim", -1)
				if x := c.x("x"); x != nil {
					return list(call("trapezoid", attrs{"axis": a}, y, x))
				}
				c.as("ops.Trapezoid(y, dx, dim)")
				return list(call("trapezoid", attrs{"axis": a, "dx": c.float("dx", c.float("x", 1))}, y))
			}}
	}
	return []*Row{
		positions("nonzero", "positions, count := ops.NonZero(x, -1)"), positions("argwhere", "positions, count := ops.ArgWhere(x, -1)"),
		{Torch: "masked_select", Signature: "input mask", Go: "values, count := ops.MaskedSelect(x, mask, -1)",
			Note: "Trim cuts the result to the count", Build: func(c *Call) []*ops.Node {
				v, n := ops.MaskedSelect(c.x("input"), c.x("mask"), -1)
				c.cuts[0] = cut{0, n}
				return list(v)
			}},
		unique, consecutive,
		segments("segment_reduce.lengths"), segments("segment_reduce.offsets"),
		search("searchsorted", "input", "self", "ops.SearchSorted(sorted, values, &ops.SearchOptions{Right: right})"),
		search("bucketize", "boundaries", "input", "ops.Bucketize(values, boundaries, &ops.SearchOptions{Right: right})"),
		{Torch: "kthvalue", Signature: "input k dim keepdim", Go: "values, positions := ops.KthValue(x, k, dim)",
			Build: func(c *Call) []*ops.Node {
				x := c.x("input")
				v, p := withIndex(func(x *ops.Node, a int) (_, _ *ops.Node) { return ops.KthValue(x, c.int("k", 1), a) }, x, c.int("dim", -1))
				if x.Rank() == 0 {
					return list(v, p)
				}
				axes := []int{axis(x, c.int("dim", -1))}
				return list(c.kept(v, x, axes), c.kept(p, x, axes))
			}},
		{Torch: "isin", Signature: "elements test_elements assume_unique invert", Go: "ops.Any(ops.Equal(ops.ExpandDims(x, -1), values), -1)",
			Build: func(c *Call) []*ops.Node {
				x, of := c.x("elements"), c.x("test_elements")
				y := ops.Any(ops.Equal(ops.ExpandDims(x, -1), ops.Reshape(of, of.Size())), -1)
				if c.bool("invert", false) {
					y = ops.Not(y)
				}
				return list(y)
			}},
		{Torch: "bincount", Signature: "input weights minlength", Go: "ops.BinCount(x, length, weights)", Build: func(c *Call) []*ops.Node {
			n := c.int("minlength", 0)
			for _, v := range c.ints("input") {
				n = max(n, v+1)
			}
			w := c.x("weights")
			if w != nil && w.DType() != tensor.Float32 {
				w = cast(w, tensor.Float64) // as PyTorch sums all weights but those of float32
			}
			return list(call("bincount", attrs{"length": n}, c.x("input"), w))
		}},
		{Torch: "histc", Signature: "input bins min max", Go: "ops.HistC(x, bins, lo, hi)", Build: func(c *Call) []*ops.Node {
			return list(call("histogram", attrs{"bins": c.int("bins", 100), "low": c.float("min", 0), "high": c.float("max", 0), "widen": 1.0},
				c.x("input")))
		}},
		{Torch: "histogram", Signature: "input bins range weight density",
			Go: "counts, edges := ops.Histogram(x, bins, &ops.HistogramOptions{...})", Build: func(c *Call) []*ops.Node {
				a := attrs{"bins": 100, "density": c.bool("density", false)}
				if c.has("range") {
					r := c.floats("range")
					a["low"], a["high"] = r[0], r[1]
				}
				if edges := c.x("bins"); edges != nil {
					if !slices.IsSorted(c.numbers("bins")) {
						c.refuse("edges of bins that do not ascend")
					}
					c.as("ops.HistogramEdges(x, edges, weights)")
					y := ops.HistogramEdges(c.x("input"), edges, c.x("weight"))
					if c.bool("density", false) {
						c.as("ops.Div(counts, ops.Mul(ops.Sum(counts), widths))")
						y = ops.Div(y, ops.Mul(ops.Sum(y), diff(edges, 1, 0)))
					}
					return list(y, ops.Reshape(edges, edges.Shape()...))
				}
				a["bins"] = c.int("bins", 100)
				return callAll("histogram", a, c.x("input"), c.x("weight"))
			}},
		{Torch: "histogramdd", Signature: "input bins range weight density",
			Go: "counts, edges := ops.HistogramDD(x, bins, &ops.HistogramDDOptions{...})", Note: "edges as tensors are not supported",
			Build: func(c *Call) []*ops.Node {
				if len(c.xs("bins")) > 0 {
					c.refuse("edges of bins as tensors")
				}
				x := c.x("input")
				var limits []float64
				if c.has("range") {
					limits = c.floats("range")
				}
				counts, edges := ops.HistogramDD(x, c.each("bins", x.Dim(-1), 10), &ops.HistogramDDOptions{
					Limits: limits, Weights: c.x("weight"), Density: c.bool("density", false),
				})
				return append(list(counts), edges...)
			}},
		trapezoid("trapezoid"), trapezoid("trapz"),
		{Torch: "cumulative_trapezoid", Signature: "input x dx dim", Go: "ops.CumulativeTrapezoidAt(y, x, dim)",
			Note: "steps of equal width: ops.CumulativeTrapezoid(y, dx, dim)", Build: func(c *Call) []*ops.Node {
				y, a := c.x("input"), c.int("dim", -1)
				if x := c.x("x"); x != nil {
					return list(call("cumulative_trapezoid", attrs{"axis": a}, y, x))
				}
				c.as("ops.CumulativeTrapezoid(y, dx, dim)")
				return list(call("cumulative_trapezoid", attrs{"axis": a, "dx": c.float("dx", c.float("x", 1))}, y))
			}},
		{Torch: "diff", Signature: "input n dim prepend append", Go: "ops.Diff(x, n, dim)", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			a := axis(x, c.int("dim", -1))
			n := c.int("n", 1)
			if n == 0 {
				return list(ops.Reshape(x, x.Shape()...))
			}
			parts := list(x)
			if p := c.x("prepend"); p != nil {
				parts = list(p, x)
			}
			if p := c.x("append"); p != nil {
				parts = append(parts, p)
			}
			if len(parts) > 1 {
				c.as("ops.Diff(ops.Concat(dim, prepend, x, append), n, dim)")
				x = ops.Concat(a, parts...)
			}
			return list(diff(x, min(n, x.Dim(a)), a))
		}},
		{Torch: "gradient", Signature: "input spacing dim edge_order", Go: "ops.Div(ops.Sub(after, before), step)",
			Note: "central differences of slices", Build: gradient},
		{Torch: "cov", Signature: "input correction fweights aweights", Go: "ops.Cov(x, &ops.CovOptions{...})", Build: func(c *Call) []*ops.Node {
			k := c.float("correction", 1)
			return list(covOf(c.floating("input"), &ops.CovOptions{Correction: &k, Counts: c.x("fweights"), Weights: c.x("aweights")}))
		}},
		{Torch: "corrcoef", Signature: "input", Go: "ops.Corrcoef(x)", Build: func(c *Call) []*ops.Node {
			x := c.floating("input")
			if x.Rank() == 2 && x.Dim(0) == 1 {
				x = ops.Reshape(x, x.Size())
			}
			return list(ops.Corrcoef(x))
		}},
		{Torch: "nn.functional.embedding_bag", Signature: "input weight offsets max_norm norm_type scale_grad_by_freq mode sparse per_sample_weights include_last_offset padding_idx", Go: "ops.EmbeddingBag(table, ids, &ops.EmbeddingBagOptions{...})", Build: func(c *Call) []*ops.Node {
			table, ids := c.x("input"), c.x("weight") // OpInfo gives the table first
			if !table.DType().IsFloat() {
				table, ids = ids, table
			}
			o := &ops.EmbeddingBagOptions{Mode: ops.BagMode(c.str("mode", "mean")), Offsets: c.x("offsets"), Weights: c.x("per_sample_weights")}
			if c.has("padding_idx") {
				o.Padding, o.Pads = c.int("padding_idx", 0), true
				if o.Padding < 0 {
					o.Padding += table.Dim(0)
				}
			}
			if o.Offsets != nil && c.bool("include_last_offset", false) {
				o.Offsets = cutOut(o.Offsets, 0, 0, o.Offsets.Dim(0)-1)
			}
			if c.has("max_norm") {
				c.refuse("rows that are made shorter in place")
			}
			return list(ops.EmbeddingBag(table, ids, o))
		}},
		{Torch: "nn.functional.grid_sample", Signature: "input grid mode padding_mode align_corners",
			Go: "ops.GridSample(x, grid, &ops.GridSampleOptions{...})", Build: func(c *Call) []*ops.Node {
				mode := map[string]string{"bilinear": "linear", "nearest": "nearest", "bicubic": "cubic"}[c.str("mode", "bilinear")]
				return list(ops.GridSample(c.x("input"), c.x("grid"),
					&ops.GridSampleOptions{Mode: ops.InterpolateMode(mode), Pad: ops.GridPadding(c.str("padding_mode", "zeros")),
						Align: c.bool("align_corners", false)}))
			}},
	}
}

func diff(x *ops.Node, n, a int) *ops.Node { return call("diff", attrs{"n": n, "axis": a}, x) }

// covOf is the covariance, a scalar where there is one variable.
func covOf(x *ops.Node, o *ops.CovOptions) *ops.Node {
	if x.Rank() == 2 && x.Dim(0) == 1 {
		x = ops.Reshape(x, x.Size())
	}
	return ops.Cov(x, o)
}

// gradient are differences of neighbours on both sides, divided by their distance, along each of dims.
func gradient(c *Call) []*ops.Node {
	x := c.floating("input")
	dims := c.axes("dim", x)
	if given := c.ints("dim"); len(given) > 0 {
		dims = nil
		for _, d := range given {
			dims = append(dims, axis(x, d))
		}
	}
	order := c.int("edge_order", 1)
	coordinates := c.xs("spacing")
	var steps []float64
	if c.has("spacing") && len(coordinates) == 0 {
		steps = c.floats("spacing")
	}
	var out []*ops.Node
	for k, a := range dims {
		n := x.Dim(a)
		var h *ops.Node // distances of neighbours, along axis a
		shape := ones(x.Rank())
		shape[a] = n - 1
		switch {
		case len(coordinates) > 0:
			h = ops.Reshape(diff(coordinates[k], 1, 0), shape...)
		default:
			step := 1.0
			if len(steps) == 1 {
				step = steps[0]
			} else if len(steps) > 1 {
				step = steps[k]
			}
			h = c.g.Full(x.DType(), step, shape...)
		}
		at := func(v *ops.Node, from, count int) *ops.Node { return cutOut(v, a, from, count) }
		slope := ops.Div(diff(x, 1, a), h) // between neighbours
		first, last := at(slope, 0, 1), at(slope, n-2, 1)
		parts := list(first, last)
		if n > 2 {
			before, after := at(h, 0, n-2), at(h, 1, n-2)
			both := ops.Add(before, after)
			middle := ops.Div(ops.Add(ops.Mul(at(slope, 0, n-2), after), ops.Mul(at(slope, 1, n-2), before)), both)
			if order == 2 {
				edge := func(s0, s1, h0, h1 *ops.Node) *ops.Node { // the parabola through the three outermost
					return ops.Sub(s0, ops.Mul(ops.Div(ops.Sub(s1, s0), ops.Add(h0, h1)), h0))
				}
				first = edge(first, at(slope, 1, 1), at(h, 0, 1), at(h, 1, 1))
				last = edge(last, at(slope, n-3, 1), at(h, n-2, 1), at(h, n-3, 1))
			}
			parts = list(first, middle, last)
		}
		out = append(out, ops.Concat(a, parts...))
	}
	return out
}

// sortedUnique are values in ascending order, with the numbers of the inverse and the counts that follow.
func sortedUnique(out []*tensor.Tensor, inverse bool) []*tensor.Tensor {
	v := out[0].Clone()
	order := identityPerm(v.Len())
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(out[0].Float64At(a), out[0].Float64At(b)) })
	place := make([]int, len(order))
	for to, from := range order {
		place[from] = to
		v.SetFloat64(to, out[0].Float64At(from))
	}
	sorted := []*tensor.Tensor{v}
	for i, t := range out[1:] {
		u := t.Clone()
		for k := range u.Len() {
			switch {
			case inverse && i == 0:
				if n := int(t.Float64At(k)); n >= 0 && n < len(place) {
					u.SetFloat64(k, float64(place[n]))
				}
			case k < len(order):
				u.SetFloat64(k, t.Float64At(order[k]))
			}
		}
		sorted = append(sorted, u)
	}
	return sorted
}
