package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// Moves between channels and positions. They cost nothing: they are views.

type blockAttr struct {
	Block int `doc:"positions along each axis that are one group of channels"`
}

type depthAttr struct {
	Block int    `doc:"positions along each axis that are one group of channels"`
	Mode  string `default:"CRD" doc:"CRD: channels, then rows and columns of a block, as PyTorch; DCR: rows and columns first"`
}

// blockOf checks a block against [..., C, H, W].
func blockOf(c *Call, block int) error {
	if x := c.shape(0); len(x) < 3 || block < 1 {
		return fmt.Errorf("blocks of %d in x of %v, not [... C H W]", block, x)
	}
	return nil
}

// toPositions is x, [..., C·r², H, W], as [..., C, H·r, W·r].
func toPositions(x *Node, r int, blocksFirst bool) *Node {
	s, k := x.shape, x.Rank()-3
	lead, perm := s[:k], ir.Range(0, k)
	split := []int{s[k] / (r * r), r, r, s[k+1], s[k+2]}
	order := []int{0, 3, 1, 4, 2}
	if blocksFirst {
		split = []int{r, r, s[k] / (r * r), s[k+1], s[k+2]}
		order = []int{2, 3, 0, 4, 1}
	}
	for _, a := range order {
		perm = append(perm, k+a)
	}
	y := Transpose(Reshape(x, slices.Concat(lead, split)...), perm...)
	return Reshape(y, slices.Concat(lead, []int{s[k] / (r * r), s[k+1] * r, s[k+2] * r})...)
}

// toChannels is the inverse of toPositions.
func toChannels(x *Node, r int, blocksFirst bool) *Node {
	s, k := x.shape, x.Rank()-3
	lead, perm := s[:k], ir.Range(0, k)
	order := []int{0, 2, 4, 1, 3}
	if blocksFirst {
		order = []int{2, 4, 0, 1, 3}
	}
	for _, a := range order {
		perm = append(perm, k+a)
	}
	y := Transpose(Reshape(x, slices.Concat(lead, []int{s[k], s[k+1] / r, r, s[k+2] / r, r})...), perm...)
	return Reshape(y, slices.Concat(lead, []int{s[k] * r * r, s[k+1] / r, s[k+2] / r})...)
}

// DepthToSpace makes blocks of r·r positions of groups of r² channels:
//
//	y[..., c, h·r + i, w·r + j] = x[..., c·r² + i·r + j, h, w]
//
// or, with blocksFirst, x[..., (i·r + j)·C + c, h, w], which is ONNX's mode DCR and TensorFlow's order. x is [..., C·r², H, W] of any
// dtype, the result [..., C, H·r, W·r].
// Errors: rank; r² does not divide the channels. Source: ONNX, operator DepthToSpace.
func DepthToSpace(x *Node, r int, blocksFirst bool) *Node {
	a := depthAttr{r, "CRD"}
	if blocksFirst {
		a.Mode = "DCR"
	}
	return apply("depth_to_space", a, x)
}

// PixelShuffle is [DepthToSpace] in PyTorch's order. Source: Shi et al., Real-Time Single Image and Video Super-Resolution (2016).
func PixelShuffle(x *Node, r int) *Node { return DepthToSpace(x, r, false) }

var _ = define(Op{
	Name: "depth_to_space", Category: "layout", Complex: eachPart, Attributes: AttributesOf[depthAttr](), Operands: operandX, DTypes: every,
	Result: func(c *Call) ([]int, tensor.DType, error) { return depthResult(c, true) },
	Compose: func(c *Call) *Node {
		a := c.Attr.(depthAttr)
		return toPositions(c.In[0], a.Block, a.Mode == "DCR")
	},
})

func depthResult(c *Call, toSpace bool) ([]int, tensor.DType, error) {
	a, x := c.Attr.(depthAttr), c.Shape(0)
	if err := blockOf(c, a.Block); err != nil {
		return nil, 0, err
	}
	ch, h, w := &x[len(x)-3], &x[len(x)-2], &x[len(x)-1]
	r := a.Block
	switch {
	case a.Mode != "CRD" && a.Mode != "DCR":
		return nil, 0, fmt.Errorf("the mode %q is neither CRD nor DCR", a.Mode)
	case toSpace && (r > 1<<15 || *ch%(r*r) != 0), !toSpace && (r > 1<<15 || *h%r != 0 || *w%r != 0):
		return nil, 0, fmt.Errorf("blocks of %d x %d do not divide %v", r, r, c.shape(0))
	case toSpace:
		*ch, *h, *w = *ch/(r*r), plus(0, *h*r), plus(0, *w*r)
	default:
		*ch, *h, *w = *ch*r*r, *h/r, *w/r
	}
	return x, c.dt(0), nil
}

// SpaceToDepth is the inverse of [DepthToSpace]: x is [..., C, H·r, W·r], the result [..., C·r², H, W]. ONNX's operator of the name has
// blocksFirst. Errors: rank; r does not divide the extents.
// Source: ONNX, operator SpaceToDepth.
func SpaceToDepth(x *Node, r int, blocksFirst bool) *Node {
	a := depthAttr{r, "CRD"}
	if blocksFirst {
		a.Mode = "DCR"
	}
	return apply("space_to_depth", a, x)
}

// PixelUnshuffle is [SpaceToDepth] in PyTorch's order.
func PixelUnshuffle(x *Node, r int) *Node { return SpaceToDepth(x, r, false) }

var _ = define(Op{
	Name: "space_to_depth", Category: "layout", Complex: eachPart, Attributes: AttributesOf[depthAttr](), Operands: operandX, DTypes: every,
	Result: func(c *Call) ([]int, tensor.DType, error) { return depthResult(c, false) },
	Compose: func(c *Call) *Node {
		a := c.Attr.(depthAttr)
		return toChannels(c.In[0], a.Block, a.Mode == "DCR")
	},
})

// ChannelShuffle deals the channels of x, [N, C, ...], out to groups:
//
//	y[n, j·groups + g, p] = x[n, g·C/groups + j, p]
//
// x is of any dtype. Errors: fewer than two axes; groups do not divide C. Source: Zhang et al., ShuffleNet (2018), section 3.1.
func ChannelShuffle(x *Node, groups int) *Node { return apply("channel_shuffle", blockAttr{groups}, x) }

var _ = define(Op{
	Name: "channel_shuffle", Category: "layout", Complex: eachPart, Attributes: AttributesOf[blockAttr](), Operands: operandX, DTypes: every,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		if x, g := c.shape(0), c.Attr.(blockAttr).Block; len(x) < 2 || g < 1 || x[1]%g != 0 {
			return nil, 0, fmt.Errorf("%d groups of the channels of %v, not [N C ...]", g, x)
		}
		return same(c)
	},
	Compose: func(c *Call) *Node {
		x, g := c.In[0], c.Attr.(blockAttr).Block
		s := x.shape
		split := Reshape(x, slices.Concat([]int{s[0], g, s[1] / g}, s[2:])...)
		perm := slices.Concat([]int{0, 2, 1}, ir.Range(3, split.Rank()))
		return Reshape(Transpose(split, perm...), s...)
	},
})

// FoldOptions say how blocks lie in the spatial axes of [Unfold] and [Fold], as many as Size has. Other lists have one number for each,
// or one for all.
type FoldOptions struct {
	Size     []int `doc:"of a block, along each spatial axis"`
	Stride   []int `default:"" doc:"from one block to the next; empty: 1"`
	Pad      []int `default:"" doc:"zeros before and after each spatial axis"`
	Dilation []int `default:"" doc:"from one element of a block to the next; empty: 1"`
}

// plan is how the blocks lie in spatial axes of some extents.
func (o FoldOptions) plan(x []int) (poolPlan, error) {
	n := len(o.Size)
	if n < 1 || n > 3 || len(x) != n {
		return poolPlan{}, fmt.Errorf("blocks of %v in axes of %v", o.Size, x)
	}
	c, err := ConvOptions{Stride: o.Stride, Pad: o.Pad, Dilation: o.Dilation}.options(n)
	p := poolPlan{Lead: 2, Size: o.Size, Stride: c.Stride, Before: c.Before, After: c.After, Dilation: c.Dilation, Beyond: make([]int, n),
		Out: make([]int, n)}
	for i := 0; i < n && err == nil; i++ {
		if o.Size[i] < 1 {
			return p, fmt.Errorf("blocks of %v", o.Size)
		}
		p.Out[i] = Window{Size: o.Size[i], Stride: p.Stride[i], Dilation: p.Dilation[i]}.count(plus(x[i], p.Before[i], p.After[i]))
		if p.Out[i] < 1 {
			err = fmt.Errorf("blocks of %v with dilation %v are larger than %v with padding %v", o.Size, p.Dilation, x, p.Before)
		}
	}
	return p, err
}

// Unfold returns blocks of x, [N, C, ...], as columns:
//
//	y[n, c·K + k, l] = x[n, c, position l · stride + k · dilation - pad]
//
// where k counts the K elements of a block and l the blocks, both in row-major order. y is [N, C·K, L]; elements in the padding are 0. x is
// of any dtype. The derivative is [Fold]. Errors: rank; options out of range.
// Source: PyTorch, torch.nn.Unfold, also called im2col.
func Unfold(x *Node, o FoldOptions) *Node { return apply("im2col", o, x) }

var _ = define(Op{
	Name: "im2col", Category: "layout", Complex: eachPart, Attributes: AttributesOf[FoldOptions](), Operands: operandX, DTypes: every,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		o, x := c.Attr.(FoldOptions), c.shape(0)
		if len(x) < 3 {
			return nil, 0, fmt.Errorf("x is %v, not [N C ...]", x)
		}
		p, err := o.plan(x[2:])
		if err != nil {
			return nil, 0, err
		}
		return []int{x[0], x[1] * ir.Product(p.Size), ir.Product(p.Out)}, c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		x := c.In[0]
		p, err := c.Attr.(FoldOptions).plan(x.shape[2:])
		if err != nil {
			return x.graph.fail("im2col", c.In, err)
		}
		n := len(p.Size)
		w := Windows(p.padded(x, 0), p.windows()...) // [N, C, L..., K...]
		w = Transpose(w, slices.Concat([]int{0, 1}, ir.Range(2+n, 2+2*n), ir.Range(2, 2+n))...)
		return Reshape(w, x.shape[0], x.shape[1]*ir.Product(p.Size), ir.Product(p.Out))
	},
})

type foldAttr struct {
	FoldOptions
	Image []int `doc:"spatial extents of the result"`
}

// Fold sums columns of blocks, as [Unfold] makes them, into tensors whose spatial axes have the extents of image:
//
//	y[n, c, p] = Σ x[n, c·K + k, l] over all k and l with position l · stride + k · dilation - pad = p
//
// x is [N, C·K, L], a number; y is [N, C, ...]. The derivative is Unfold. Errors: rank; options out of range; K does not divide the rows,
// or L is another number of blocks.
// Source: PyTorch, torch.nn.Fold, also called col2im; ONNX, operator Col2Im.
func Fold(x *Node, image []int, o FoldOptions) *Node {
	return apply("col2im", foldAttr{o, image}, x)
}

var _ = define(Op{
	Name: "col2im", Category: "layout", Attributes: AttributesOf[foldAttr](), Operands: operandX, DTypes: numbers,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a, x := c.Attr.(foldAttr), c.shape(0)
		p, err := a.plan(a.Image)
		switch {
		case err != nil:
			return nil, 0, err
		case len(x) != 3 || x[1]%ir.Product(p.Size) != 0 || x[2] != ir.Product(p.Out):
			return nil, 0, fmt.Errorf("x is %v, not [N C·%d %d] for blocks of %v in %v", x, ir.Product(p.Size), ir.Product(p.Out), p.Size, a.Image)
		}
		return slices.Concat([]int{x[0], x[1] / ir.Product(p.Size)}, a.Image), c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		a, x := c.Attr.(foldAttr), c.In[0]
		p, err := a.plan(a.Image)
		if err != nil {
			return x.graph.fail("col2im", c.In, err)
		}
		n, channels := len(p.Size), x.shape[1]/ir.Product(p.Size)
		y := Reshape(widen(x), slices.Concat([]int{x.shape[0], channels}, p.Size, p.Out)...)
		y = Transpose(y, slices.Concat([]int{0, 1}, ir.Range(2+n, 2+2*n), ir.Range(2, 2+n))...)
		w := windowAttr{full: []int{x.shape[0], channels}, Windows: p.windows()}
		var cut []Range
		for i, extent := range a.Image {
			w.full = append(w.full, extent+p.Before[i]+p.After[i])
			cut = append(cut, Range{Axis: 2 + i, Start: p.Before[i], Stop: p.Before[i] + extent})
		}
		return Cast(Sum(Slice(apply("unwindow", w, y), cut...), w.taps()...), x.dtype)
	},
})
