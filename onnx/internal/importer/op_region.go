package importer

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// roiAlign samples regions of images. Each sample lies between four elements; its weights are those of a row of two matrices, so
// that the mean of samples is a product of three matrices.
func roiAlign(c *call) []*value {
	x, rois, batch := c.x(0), c.x(1), c.x(2)
	if x.Rank() != 4 || rois.Rank() != 2 || rois.Dim(1) != 4 {
		c.fail("operands %v and %v", x.Shape(), rois.Shape())
	}
	offset := 0.5
	if c.version < 16 {
		offset = 0
	} else if mode := c.str("coordinate_transformation_mode", "half_pixel"); mode == "output_half_pixel" {
		offset = 0
	} else if mode != "half_pixel" {
		c.refuse("coordinate_transformation_mode %q is not known", mode)
	}
	scale, ratio := c.float("spatial_scale", 1), c.int("sampling_ratio", 0)
	ph, pw := c.int("output_height", 1), c.int("output_width", 1)
	mode := c.str("mode", "avg")
	if mode != "avg" && mode != "max" || ph < 1 || pw < 1 {
		c.fail("mode %q, output of %d x %d", mode, ph, pw)
	}
	p := &roiPool{x: x, offset: offset, scale: scale, ph: ph, pw: pw, largest: mode == "max"}
	if ratio > 0 {
		return out(p.build(c, rois, batch, ratio, ratio))
	}
	var each []*ops.Node // as many samples as a part of the region has elements
	v := c.floats(1)
	number := func(v float64) float64 { // in the precision of the regions, on which the count may depend
		if rois.DType() == tensor.Float64 {
			return v
		}
		return float64(float32(v))
	}
	for i := range rois.Dim(0) {
		count := func(axis, parts int) int {
			size := number(v[4*i+axis+2]*scale-offset) - number(v[4*i+axis]*scale-offset)
			if offset == 0 {
				size = max(size, 1)
			}
			if n := math.Ceil(number(size / float64(parts))); n > maxSamples {
				c.fail("region %d, %v, has %g samples along axis %d of each part of its result, more than %d", i, v[4*i:4*i+4], n, 3-axis, maxSamples)
			} else if n > 0 {
				return int(n)
			}
			return 0 // also of NaN
		}
		gh, gw := count(1, ph), count(0, pw)
		if gh == 0 || gw == 0 { // nothing is sampled
			each = append(each, c.b.g.Zeros(x.DType(), 1, x.Dim(1), ph, pw))
			continue
		}
		each = append(each, p.build(c, ops.Narrow(rois, 0, i, 1), ops.Narrow(batch, 0, i, 1), gh, gw))
	}
	if len(each) == 0 {
		return out(c.b.g.Zeros(x.DType(), 0, x.Dim(1), ph, pw))
	}
	return out(ops.Concat(0, each...))
}

// roiPool pools regions of images.
type roiPool struct {
	x             *ops.Node
	offset, scale float64
	ph, pw        int  // the extents of a result
	largest       bool // of the samples of a part, not their mean
}

// build pools regions with gh × gw samples in each part of a result.
func (p *roiPool) build(c *call, rois, batch *ops.Node, gh, gw int) *ops.Node {
	image := ops.Gather(p.x, 0, batch) // [R, C, H, W]
	low := func(axis int) *ops.Node {  // start and extent of each region
		return ops.Sub(ops.Mul(ops.Narrow(rois, 1, axis, 1), ops.ScalarLike(rois, p.scale)), ops.ScalarLike(rois, p.offset))
	}
	sides := func(axis, extent, parts, grid int) [2]*ops.Node {
		start := low(axis)
		size := ops.Sub(low(axis+2), start)
		if p.offset == 0 {
			size = ops.Maximum(size, ops.ScalarLike(size, 1))
		}
		at := c.b.g.Iota(rois.DType(), 1, 1, parts*grid)
		at = ops.Div(ops.Add(at, ops.ScalarLike(at, 0.5)), ops.ScalarLike(at, float64(parts*grid)))
		return between(ops.Add(start, ops.Mul(at, size)), extent)
	}
	ys, xs := sides(1, p.x.Dim(2), p.ph, gh), sides(0, p.x.Dim(3), p.pw, gw)
	sample := func(a, b *ops.Node) *ops.Node { // [R, C, PH·GH, PW·GW]
		return ops.MatMul(ops.MatMul(ops.Unsqueeze(a, 1), image), ops.Transpose(ops.Unsqueeze(b, 1), 0, 1, 3, 2))
	}
	grid := func(y *ops.Node) *ops.Node { return ops.Reshape(y, y.Dim(0), y.Dim(1), p.ph, gh, p.pw, gw) }
	if !p.largest {
		return ops.Mean(grid(sample(ops.Add(ys[0], ys[1]), ops.Add(xs[0], xs[1]))), 3, 5)
	}
	// the largest of the weighted elements, as in onnxruntime
	y := ops.Maximum(ops.Maximum(sample(ys[0], xs[0]), sample(ys[0], xs[1])), ops.Maximum(sample(ys[1], xs[0]), sample(ys[1], xs[1])))
	return ops.Max(grid(y), 3, 5)
}

// maxSamples of a part of a region are taken along an axis.
const maxSamples = 1 << 12

// between are two matrices [R, S, extent] with the weights of the lower and the upper neighbour of positions [R, S].
func between(at *ops.Node, extent int) [2]*ops.Node {
	num := func(v float64) *ops.Node { return ops.ScalarLike(at, v) }
	inside := ops.LogicalAnd(ops.GreaterEqual(at, num(-1)), ops.LessEqual(at, num(float64(extent))))
	at = ops.Minimum(ops.Maximum(at, num(0)), num(float64(extent-1)))
	low := ops.Floor(at)
	high := ops.Minimum(ops.Add(low, num(1)), num(float64(extent-1)))
	part := ops.Sub(at, low)
	weight := func(index, w *ops.Node) *ops.Node {
		hot := ops.OneHot(ops.Cast(index, tensor.Int64), extent, at.DType())
		return ops.Mul(hot, ops.Unsqueeze(ops.Where(inside, w, ops.ZerosLike(w)), -1))
	}
	return [2]*ops.Node{weight(low, ops.Sub(num(1), part)), weight(high, part)}
}

// deformConv is a convolution whose taps read where offsets say.
func deformConv(c *call) []*value {
	x, w, offset, bias, mask := c.x(0), c.x(1), c.x(2), c.opt(3), c.opt(4)
	groups, parts := c.int("group", 1), c.int("offset_group", 1)
	s := c.spatial(x, w.Shape()[2:])
	if len(s.size) != 2 {
		c.fail("%d spatial axes, not 2", len(s.size))
	}
	n, ch, h, wd := x.Dim(0), x.Dim(1), x.Dim(2), x.Dim(3)
	taps := s.size[0] * s.size[1]
	oh, ow := offset.Dim(2), offset.Dim(3)
	if parts < 1 || groups < 1 || ch%parts != 0 || ch%groups != 0 || offset.Rank() != 4 || offset.Dim(1) != parts*taps*2 {
		c.fail("offsets %v for %d groups of %d taps", offset.Shape(), parts, taps)
	}
	dt := x.DType()
	// Positions of taps without offsets, [K, OH, OW] each.
	base := func(axis int) *ops.Node {
		v := make([]float64, 0, taps*oh*ow)
		for k := range taps {
			tap := k / s.size[1]
			if axis == 1 {
				tap = k % s.size[1]
			}
			for i := range oh * ow {
				at := i / ow
				if axis == 1 {
					at = i % ow
				}
				v = append(v, float64(at*s.stride[axis]-s.before[axis]+tap*s.dilation[axis]))
			}
		}
		t, err := tensor.FromSlice(v, taps, oh, ow)
		c.check(err)
		return ops.Cast(c.b.g.Const(t), dt)
	}
	offset = ops.Reshape(offset, n*parts, taps, 2, oh, ow)
	position := func(axis, extent int) *ops.Node { // from -1 at one edge to 1 at the other
		at := ops.Add(ops.Select(offset, 2, axis), base(axis))
		at = ops.Add(ops.Mul(at, ops.ScalarLike(at, 2)), ops.ScalarLike(at, 1))
		return ops.Sub(ops.Div(at, ops.ScalarLike(at, float64(extent))), ops.ScalarLike(at, 1))
	}
	grid := ops.Reshape(ops.Stack(-1, position(1, wd), position(0, h)), n*parts, taps*oh, ow, 2)
	columns := ops.GridSample(ops.Reshape(x, n*parts, ch/parts, h, wd), grid, nil)
	columns = ops.Reshape(columns, n, parts, ch/parts, taps, oh*ow)
	if mask != nil {
		columns = ops.Mul(columns, ops.Reshape(mask, n, parts, 1, taps, oh*ow))
	}
	columns = ops.Reshape(columns, n, groups, ch/groups*taps, oh*ow)
	kernel := ops.Reshape(w, groups, w.Dim(0)/groups, ch/groups*taps)
	y := ops.Reshape(ops.MatMul(kernel, columns), n, w.Dim(0), oh, ow)
	if bias != nil {
		y = ops.Add(y, ops.Reshape(bias, append([]int{-1}, slices.Repeat([]int{1}, 2)...)...))
	}
	return out(y)
}
