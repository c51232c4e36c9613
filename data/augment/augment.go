// Package augment changes the examples of a batch at random while a network trains, as part of the graph: on the device, with
// random numbers of the graph's seed, anew at every run.
//
//	x = augment.Crop(augment.Flip(x, 0.5), 4)
//
// Images are floats [N, C, H, W], with N open or not and H and W numbers; each image is changed by draws of its own. Functions
// that draw a place or an angle for it can be differentiated by the pixels.
package augment

import (
	"errors"
	"fmt"
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func init() { ops.Helper() }

// images checks that x is images, and returns the node that stands for a mistake if it is not.
func images(name string, x *ops.Node, wrong error) *ops.Node {
	switch {
	case x == nil || x.DType() == tensor.Invalid:
		return ops.Apply("add", nil, x, x) // which fails, and says why
	case wrong != nil:
	case x.Rank() != 4 || !x.DType().IsFloat():
		wrong = errors.New("images are floats [N, C, H, W]")
	case x.Dim(2) < 1 || x.Dim(3) < 1:
		wrong = errors.New("the height and the width of images must be numbers above 0")
	default:
		return nil
	}
	return x.Graph().Fail(name, wrong, x)
}

// within reports a v outside [lo, hi], or NaN.
func within(what string, v, lo, hi float64) error {
	if v >= lo && v <= hi {
		return nil
	}
	return fmt.Errorf("%s %v is not within [%v, %v]", what, v, lo, hi)
}

// uniform draws a number from [lo, hi) for each image, [N, 1].
func uniform(x *ops.Node, lo, hi float64) *ops.Node {
	u := x.Graph().Uniform(tensor.Float32, x.Dim(0), 1)
	return ops.Add(ops.Mul(u, hi-lo), lo)
}

// each makes numbers [N, 1] such that they broadcast over images, in the dtype of x.
func each(v, x *ops.Node) *ops.Node {
	return ops.Cast(ops.Reshape(v, x.Dim(0), 1, 1, 1), x.DType())
}

// Flip mirrors images left to right, each with the given probability. Errors: x is no images; the probability is not within [0, 1].
func Flip(x *ops.Node, probability float64) *ops.Node {
	if bad := images("augment.Flip", x, within("the probability", probability, 0, 1)); bad != nil {
		return bad
	}
	flipped := ops.Less(uniform(x, 0, 1), probability)
	return ops.Where(ops.Reshape(flipped, x.Dim(0), 1, 1, 1), ops.Flip(x, 3), x)
}

// Crop surrounds each image with pad rows and columns of zeros and cuts one of its size out, at a place of which all are
// equally likely: it moves the image by up to pad pixels each way. Errors: x is no images; pad is negative.
func Crop(x *ops.Node, pad int) *ops.Node {
	if bad := images("augment.Crop", x, within("the padding", float64(pad), 0, math.MaxInt32)); bad != nil {
		return bad
	}
	g, n := x.Graph(), x.Dim(0)
	move := func(size int) *ops.Node { // in the coordinates of a grid, in which an image is 2 wide
		d := g.RandomInts(tensor.Int32, int64(-pad), int64(pad)+1, n, 1)
		return ops.Mul(ops.Cast(d, tensor.Float32), 2/float64(size))
	}
	dx, dy := move(x.Dim(3)), move(x.Dim(2))
	zero, one := ops.ZerosLike(dx), ops.OnesLike(dx)
	return sample(x, ops.InterpolateNearest, one, zero, dx, zero, one, dy)
}

// Rotate turns each image about its centre by an angle from [-degrees, degrees), with linear interpolation and zeros for what was outside.
// Errors: x is no images; degrees is not within [0, 360].
func Rotate(x *ops.Node, degrees float64) *ops.Node {
	if bad := images("augment.Rotate", x, within("the angle", degrees, 0, 360)); bad != nil {
		return bad
	}
	angle := uniform(x, -degrees*math.Pi/180, degrees*math.Pi/180)
	sin, cos, zero := ops.Sin(angle), ops.Cos(angle), ops.ZerosLike(angle)
	// Grids measure each axis by its own size.
	ratio := float64(x.Dim(2)) / float64(x.Dim(3))
	return sample(x, ops.InterpolateLinear, cos, ops.Mul(sin, -ratio), zero, ops.Mul(sin, 1/ratio), cos, zero)
}

// sample reads images through affine grids, whose six numbers are [N, 1] each.
func sample(x *ops.Node, mode ops.InterpolateMode, theta ...*ops.Node) *ops.Node {
	t := ops.Reshape(ops.Concat(1, theta...), x.Dim(0), 2, 3)
	grid := ops.AffineGrid(t, x.Shape(), false)
	return ops.GridSample(x, ops.Cast(grid, x.DType()), &ops.GridSampleOptions{Mode: mode})
}

// Jitter says how far [Color] goes: a factor is drawn from [1 - v, 1 + v], of which what is below 0 is left out.
type Jitter struct {
	Brightness float64 // of all pixels
	Contrast   float64 // of differences from the mean luminance of the image
	Saturation float64 // of differences from the luminance of the pixel; images of one channel have none
}

// Color changes brightness, contrast and saturation, in this order, of images of 1 or 3 channels with values from 0 to 1, and clips the
// result to that range. The luminance is 0.299·R + 0.587·G + 0.114·B. Errors: x is no such images; a number is negative.
// Source: torchvision, ColorJitter, which draws the order too.
func Color(x *ops.Node, o Jitter) *ops.Node {
	wrong := errors.Join(within("Brightness", o.Brightness, 0, math.MaxFloat64), within("Contrast", o.Contrast, 0, math.MaxFloat64),
		within("Saturation", o.Saturation, 0, math.MaxFloat64))
	if bad := images("augment.Color", x, wrong); bad != nil {
		return bad
	}
	if c := x.Dim(1); c != 1 && c != 3 {
		return x.Graph().Fail("augment.Color", fmt.Errorf("%d channels, not 1 or 3", c), x)
	}
	factor := func(v float64) *ops.Node { return each(uniform(x, max(0, 1-v), 1+v), x) }
	y := x
	if o.Brightness > 0 {
		y = ops.Clip(ops.Mul(y, factor(o.Brightness)), 0, 1)
	}
	if o.Contrast > 0 {
		mean := ops.KeepDims(ops.Mean(luminance(y), 1, 2, 3))
		y = ops.Clip(ops.Lerp(mean, y, factor(o.Contrast)), 0, 1)
	}
	if o.Saturation > 0 && x.Dim(1) == 3 {
		y = ops.Clip(ops.Lerp(luminance(y), y, factor(o.Saturation)), 0, 1)
	}
	return y
}

// luminance is [N, 1, H, W].
func luminance(x *ops.Node) *ops.Node {
	if x.Dim(1) == 1 {
		return x
	}
	w := x.Graph().Const(tensor.Must(tensor.FromSlice([]float32{0.299, 0.587, 0.114}, 1, 3, 1, 1)))
	return ops.KeepDims(ops.Sum(ops.Mul(x, ops.Cast(w, x.DType())), 1))
}
