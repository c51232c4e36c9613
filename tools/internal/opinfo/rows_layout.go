package opinfo

import (
	"math"
	"slices"
	"strings"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// layout are ops that arrange elements anew: rolls, tiles, diagonals, grids, paddings.
func layout() []*Row {
	row := func(torch, signature, text string, f func(c *Call) []*ops.Node) *Row {
		return &Row{Torch: torch, Signature: signature, Go: text, Build: f}
	}
	single := func(torch, signature, text string, f func(c *Call, x *ops.Node) *ops.Node) *Row {
		return row(torch, signature, text, func(c *Call) []*ops.Node { return list(f(c, c.x("input"))) })
	}
	tile := func(torch string) *Row {
		return single(torch, "input *dims", "ops.Tile(x, reps...)", func(c *Call, x *ops.Node) *ops.Node {
			reps := c.ints("dims")
			if len(reps) == 0 {
				return ops.Reshape(x, x.Shape()...)
			}
			return ops.Tile(x, reps...)
		})
	}
	diagonal := single("diagonal", "input offset dim1 dim2", "ops.Diagonal(x, offset, axis1, axis2)", func(c *Call, x *ops.Node) *ops.Node {
		return ops.Diagonal(x, c.int("offset", 0), c.int("dim1", 0), c.int("dim2", 1))
	})
	linalgDiagonal := single("linalg.diagonal", "input offset dim1 dim2", "ops.Diagonal(x, offset, axis1, axis2)",
		func(c *Call, x *ops.Node) *ops.Node {
			return ops.Diagonal(x, c.int("offset", 0), c.int("dim1", -2), c.int("dim2", -1))
		})
	grid := func(torch, signature string) *Row {
		return row(torch, signature, "ops.Meshgrid(xs...)", func(c *Call) []*ops.Node {
			xs := c.xs("tensors")
			for i, x := range xs {
				if x.Rank() == 0 {
					xs[i] = ops.Reshape(x, 1)
				}
			}
			if c.str("indexing", "ij") == "xy" {
				c.as("ops.MeshgridXY(xs...)")
				return ops.MeshgridXY(xs...)
			}
			return ops.Meshgrid(xs...)
		})
	}
	atleast := func(n int) *Row {
		d := string(rune('0' + n))
		return row("atleast_"+d+"d", "*tensors", "ops.Reshape(x, shape...)", func(c *Call) []*ops.Node {
			var out []*ops.Node
			for _, x := range c.xs("tensors") {
				s := x.Shape()
				switch {
				case len(s) == 0:
					s = slices.Repeat([]int{1}, n)
				case n == 2 && len(s) == 1:
					s = []int{1, s[0]}
				case n == 3 && len(s) == 1:
					s = []int{1, s[0], 1}
				case n == 3 && len(s) == 2:
					s = append(s, 1)
				}
				out = append(out, ops.Reshape(x, s...))
			}
			return out
		})
	}
	stack := func(torch, text string, axis func(rank int) int, shape func(s []int) []int) *Row {
		return row(torch, "tensors", text, func(c *Call) []*ops.Node {
			xs := c.xs("tensors")
			for i, x := range xs {
				xs[i] = ops.Reshape(x, shape(x.Shape())...)
			}
			return list(ops.Concat(axis(xs[0].Rank()), xs...))
		})
	}
	column := func(s []int) []int {
		switch len(s) {
		case 0:
			return []int{1, 1}
		case 1:
			return []int{s[0], 1}
		}
		return s
	}
	pad := func(torch, mode string) *Row {
		text := "ops.PadMode(x, \"" + mode + "\", paddings...)"
		if mode == "constant" {
			text = "ops.Pad(x, value, paddings...)"
		}
		return single(torch, "input pad mode value", text, func(c *Call, x *ops.Node) *ops.Node {
			c.refuseOther("mode", torch[strings.LastIndexByte(torch, '.')+1:])
			var p []ops.Padding
			by := c.ints("pad")
			for i := 0; i+1 < len(by); i += 2 {
				p = append(p, ops.Padding{Axis: x.Rank() - 1 - i/2, Before: by[i], After: by[i+1]})
			}
			if mode == "constant" {
				return ops.Pad(x, c.float("value", 0), p...)
			}
			return padded(x, mode, p...)
		})
	}
	constant := pad("constant_pad_nd", "constant")
	constant.Signature = "input pad value"
	parts := func(torch string, axis func(x *ops.Node) int) *Row {
		return row(torch, "input indices_or_sections dim", "ops.SplitSizes(x, dim, sizes...)", func(c *Call) []*ops.Node {
			x := c.x("input")
			a := axis(x)
			if c.has("dim") {
				a = norm(c.int("dim", 0), x.Rank())
			}
			return ops.SplitSizes(x, a, c.sections("indices_or_sections", x.Dim(a))...)
		})
	}
	tensorSplit := parts("tensor_split", func(*ops.Node) int { return 0 })
	tensorSplit.Grads = "input"
	return []*Row{
		tile("repeat"), tile("tile"),
		single("roll", "input shifts dims", "ops.Roll(x, shifts, dims...)", func(c *Call, x *ops.Node) *ops.Node {
			return ops.Roll(x, c.ints("shifts"), c.ints("dims")...)
		}),
		single("fft.fftshift", "input dim", "ops.Roll(x, shifts, dims...)",
			func(c *Call, x *ops.Node) *ops.Node { return shifted(x, c.axes("dim", x), 0) }),
		single("fft.ifftshift", "input dim", "ops.Roll(x, shifts, dims...)",
			func(c *Call, x *ops.Node) *ops.Node { return shifted(x, c.axes("dim", x), 1) }),
		single("rot90", "input k dims", "ops.Rot90(x, k, axis1, axis2)", func(c *Call, x *ops.Node) *ops.Node {
			dims := c.ints("dims")
			if len(dims) == 0 {
				dims = []int{0, 1}
			}
			return ops.Rot90(x, c.int("k", 1), dims[0], dims[1])
		}),
		single("movedim", "input source destination", "ops.MoveDim(x, source, destination)", func(c *Call, x *ops.Node) *ops.Node {
			return ops.MoveDim(x, c.ints("source"), c.ints("destination"))
		}),
		single("unflatten", "input dim sizes", "ops.Unflatten(x, dim, shape...)", func(c *Call, x *ops.Node) *ops.Node {
			return ops.Unflatten(x, c.int("dim", 0), c.ints("sizes")...)
		}),
		single("flatten", "input start_dim end_dim", "ops.FlattenRange(x, start, end)", func(c *Call, x *ops.Node) *ops.Node {
			return ops.FlattenRange(x, c.int("start_dim", 0), c.int("end_dim", -1))
		}),
		single("ravel", "input", "ops.Reshape(x, -1)", func(_ *Call, x *ops.Node) *ops.Node { return ops.Reshape(x, x.Size()) }),
		single("expand", "input *size", "ops.Expand(x, shape...)",
			func(c *Call, x *ops.Node) *ops.Node { return ops.Expand(x, c.ints("size")...) }),
		single("narrow", "input dim start length", "ops.Narrow(x, dim, start, length)", func(c *Call, x *ops.Node) *ops.Node {
			return ops.Narrow(x, c.int("dim", 0), c.int("start", 0), c.int("length", 0))
		}),
		single("narrow_copy", "input dim start length", "ops.Narrow(x, dim, start, length)", func(c *Call, x *ops.Node) *ops.Node {
			return ops.Narrow(x, c.int("dim", 0), c.int("start", 0), c.int("length", 0))
		}),
		single("select", "input dim index", "ops.Select(x, dim, index)", func(c *Call, x *ops.Node) *ops.Node {
			return ops.Select(x, c.int("dim", 0), c.int("index", 0))
		}),
		row("unbind", "input dim", "ops.Unstack(x, dim)", func(c *Call) []*ops.Node { return ops.Unstack(c.x("input"), c.int("dim", 0)) }),
		row("chunk", "input chunks dim", "ops.Chunk(x, dim, n)",
			func(c *Call) []*ops.Node { return ops.Chunk(c.x("input"), c.int("dim", 0), c.int("chunks", 1)) }),
		tensorSplit,
		parts("hsplit", func(x *ops.Node) int { return min(1, x.Rank()-1) }), parts("vsplit", func(*ops.Node) int { return 0 }),
		parts("dsplit", func(*ops.Node) int { return 2 }),
		single("repeat_interleave", "input repeats dim", "ops.RepeatInterleave(x, dim, n)", func(c *Call, x *ops.Node) *ops.Node {
			if !c.has("dim") {
				x = ops.Reshape(x, x.Size())
			}
			a := c.int("dim", 0)
			if counts := c.x("repeats"); counts != nil && counts.Size() != 1 {
				c.as("ops.RepeatCounts(x, dim, counts, total)")
				total := 0
				for _, n := range c.ints("repeats") {
					total += n
				}
				return ops.RepeatCounts(x, a, counts, total)
			}
			return ops.RepeatInterleave(x, a, c.int("repeats", 1))
		}),
		diagonal, linalgDiagonal,
		single("diag", "input diagonal", "ops.Diag(x, offset)",
			func(c *Call, x *ops.Node) *ops.Node { return ops.Diag(x, c.int("diagonal", 0)) }),
		single("diagflat", "input offset", "ops.DiagFlat(x, offset)",
			func(c *Call, x *ops.Node) *ops.Node { return ops.DiagFlat(x, c.int("offset", 0)) }),
		single("diag_embed", "input offset dim1 dim2", "ops.DiagEmbed(x, offset, axis1, axis2)", func(c *Call, x *ops.Node) *ops.Node {
			return ops.DiagEmbed(x, c.int("offset", 0), c.int("dim1", -2), c.int("dim2", -1))
		}),
		single("tril", "input diagonal", "ops.Tril(x, k)", func(c *Call, x *ops.Node) *ops.Node { return ops.Tril(x, c.int("diagonal", 0)) }),
		single("triu", "input diagonal", "ops.Triu(x, k)", func(c *Call, x *ops.Node) *ops.Node { return ops.Triu(x, c.int("diagonal", 0)) }),
		single("diagonal_scatter", "input src offset dim1 dim2", "ops.DiagonalScatter(x, src, offset, axis1, axis2)",
			func(c *Call, x *ops.Node) *ops.Node {
				return ops.DiagonalScatter(x, c.x("src"), c.int("offset", 0), c.int("dim1", 0), c.int("dim2", 1))
			}),
		single("select_scatter", "input src dim index", "ops.SelectScatter(x, src, dim, index)", func(c *Call, x *ops.Node) *ops.Node {
			return ops.SelectScatter(x, c.x("src"), c.int("dim", 0), c.int("index", 0))
		}),
		single("slice_scatter", "input src dim start end step", "ops.SliceScatter(x, src, ranges...)", func(c *Call, x *ops.Node) *ops.Node {
			a := axis(x, c.int("dim", 0))
			from, to, step := c.sliced(x.Dim(a))
			return ops.SliceScatter(x, c.x("src"), ops.Range{Axis: a, Start: from, Stop: to, Step: step, Exact: true})
		}),
		grid("meshgrid.variadic_tensors", "*tensors"), grid("meshgrid.list_of_tensors", "tensors"), grid("meshgrid", "*tensors"),
		row("cartesian_prod", "*tensors", "ops.CartesianProd(xs...)",
			func(c *Call) []*ops.Node { return list(ops.CartesianProd(c.xs("tensors")...)) }),
		row("block_diag", "*tensors", "ops.BlockDiag(xs...)", func(c *Call) []*ops.Node { return list(ops.BlockDiag(c.xs("tensors")...)) }),
		single("combinations", "input r with_replacement", "ops.Combinations(x, r, replacement)", func(c *Call, x *ops.Node) *ops.Node {
			return ops.Combinations(x, c.int("r", 2), c.bool("with_replacement", false))
		}),
		atleast(1), atleast(2), atleast(3),
		stack("column_stack", "ops.Concat(1, xs...)", func(int) int { return 1 }, column),
		stack("hstack", "ops.Concat(1, xs...)", func(rank int) int { return min(1, rank-1) }, func(s []int) []int {
			if len(s) == 0 {
				return []int{1}
			}
			return s
		}),
		stack("vstack", "ops.Concat(0, xs...)", func(int) int { return 0 }, func(s []int) []int {
			if len(s) < 2 {
				return append(slices.Repeat([]int{1}, 2-len(s)), s...)
			}
			return s
		}),
		stack("dstack", "ops.Concat(2, xs...)", func(int) int { return 2 }, func(s []int) []int {
			switch len(s) {
			case 0:
				return []int{1, 1, 1}
			case 1:
				return []int{1, s[0], 1}
			case 2:
				return append(s, 1)
			}
			return s
		}),
		single("unfold", "input dimension size step", "ops.Windows(x, ops.Window{Axis: dim, Size: size, Stride: step})",
			func(c *Call, x *ops.Node) *ops.Node {
				if x.Rank() == 0 {
					return ops.Reshape(x, c.int("size", 1))
				}
				a := axis(x, c.int("dimension", 0))
				return ops.Windows(x, ops.Window{Axis: a, Size: c.int("size", 1), Stride: c.int("step", 1)})
			}),
		constant, pad("nn.functional.pad.constant", "constant"), pad("nn.functional.pad.reflect", "reflect"),
		pad("nn.functional.pad.replicate", "edge"), pad("nn.functional.pad.circular", "wrap"),
		single("nn.functional.unfold", "input kernel_size dilation padding stride", "ops.Unfold(x, ops.FoldOptions{...})",
			func(c *Call, x *ops.Node) *ops.Node {
				return call("im2col", attrs{"size": c.each("kernel_size", 2, 1), "dilation": c.each("dilation", 2, 1), "pad": c.each("padding", 2, 0),
					"stride": c.each("stride", 2, 1)}, x)
			}),
		single("nn.functional.pixel_shuffle", "input upscale_factor", "ops.PixelShuffle(x, r)", func(c *Call, x *ops.Node) *ops.Node {
			return ops.PixelShuffle(x, c.int("upscale_factor", 1))
		}),
		single("nn.functional.pixel_unshuffle", "input downscale_factor", "ops.PixelUnshuffle(x, r)", func(c *Call, x *ops.Node) *ops.Node {
			return ops.PixelUnshuffle(x, c.int("downscale_factor", 1))
		}),
		row("eye", "n m", "g.Eye(dtype, rows, columns, 0)", func(c *Call) []*ops.Node {
			n := c.int("n", 0)
			return list(c.g.Eye(c.dtype("dtype", tensor.Float32), n, c.int("m", n), 0))
		}),
		row("arange", "input start step", "g.Arange(dtype, start, stop, step)", func(c *Call) []*ops.Node {
			// The first is the end where it is alone.
			start, end := 0.0, c.float("input", 0)
			switch {
			case c.has("end"):
				start, end = end, c.float("end", 0)
			case c.has("start"):
				start, end = end, c.float("start", 0)
			}
			dt := tensor.Int64 // of integers alone
			for _, name := range []string{"input", "start", "end", "step"} {
				if _, ok := c.value(name).(float64); ok {
					dt = tensor.Float32
				}
			}
			step := c.float("step", 1)
			if dt = c.dtype("dtype", dt); dt == tensor.Int64 { // PyTorch rounds before it counts
				start, end, step = math.Trunc(start), math.Trunc(end), math.Trunc(step)
			}
			return list(c.g.Arange(dt, start, end, step))
		}),
		row("linspace", "start end steps", "g.Linspace(dtype, start, stop, n)", func(c *Call) []*ops.Node {
			return list(c.g.Linspace(c.dtype("dtype", tensor.Float32), c.float("start", 0), c.float("end", 0), c.int("steps", 100)))
		}),
		row("logspace", "start end steps base", "g.Logspace(dtype, start, stop, n, base)", func(c *Call) []*ops.Node {
			return list(c.g.Logspace(c.dtype("dtype", tensor.Float32), c.float("start", 0), c.float("end", 0), c.int("steps", 100),
				c.float("base", 10)))
		}),
		row("tril_indices", "row col offset", "g.TrilIndices(rows, columns, k)", func(c *Call) []*ops.Node {
			return list(c.g.TrilIndices(c.int("row", 0), c.int("col", 0), c.int("offset", 0)))
		}),
		row("triu_indices", "row col offset", "g.TriuIndices(rows, columns, k)", func(c *Call) []*ops.Node {
			return list(c.g.TriuIndices(c.int("row", 0), c.int("col", 0), c.int("offset", 0)))
		}),
	}
}

// shifted moves the middle of axes to their start; extra is 1 for the way back.
func shifted(x *ops.Node, axes []int, extra int) *ops.Node {
	var by []int
	for _, a := range axes {
		by = append(by, (x.Dim(a)+extra)/2)
	}
	return ops.Roll(x, by, axes...)
}

// sections are the extents of parts of an axis of n: so many equal ones, or those between indices.
func (c *Call) sections(name string, n int) []int {
	l, isTensor := c.value(name).(*leaf)
	if _, isList := c.value(name).([]any); !isList && (!isTensor || l.t.Rank() == 0) {
		k := max(1, c.int(name, 1))
		sizes := slices.Repeat([]int{n / k}, k)
		for i := range n % k {
			sizes[i]++
		}
		return sizes
	}
	var sizes []int
	at := 0
	for _, i := range c.ints(name) {
		if i < 0 {
			i += n
		}
		i = min(max(i, at), n)
		sizes = append(sizes, i-at)
		at = i
	}
	return append(sizes, n-at)
}

// padded is x with its own elements around it.
func padded(x *ops.Node, mode string, by ...ops.Padding) *ops.Node {
	before, after := make([]int, x.Rank()), make([]int, x.Rank())
	for _, p := range by {
		if p.Before < 0 || p.After < 0 { // takes elements away first
			from, to := max(0, -p.Before), x.Dim(p.Axis)-max(0, -p.After)
			x = cutOut(x, p.Axis, from, to-from)
		}
		before[p.Axis], after[p.Axis] = max(0, p.Before), max(0, p.After)
	}
	return call("pad_mode", attrs{"mode": mode, "before": before, "after": after}, x)
}
