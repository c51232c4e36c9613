package ops

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/tensor"
)

// InterpolateMode says how [Interpolate] finds values between elements.
type InterpolateMode string

// The modes of interpolation.
const (
	InterpolateNearest      InterpolateMode = "nearest"       // the next element: of asymmetric positions the one below, as PyTorch's
	InterpolateNearestExact InterpolateMode = "nearest_exact" // the one next to the centre, as PyTorch's nearest-exact
	InterpolateLinear       InterpolateMode = "linear"        // bilinear over two axes, trilinear over three
	InterpolateCubic        InterpolateMode = "cubic"         // cubic convolution, bicubic over two axes
	InterpolateArea         InterpolateMode = "area"          // means, as AdaptiveAvgPool
)

// CoordMode says where an element of the result of [Interpolate] lies in the operand. They are those of ONNX's operator Resize.
type CoordMode string

// The modes of coordinates: of element i of out, with in elements and a step of 1 / scale.
const (
	CoordDefault            CoordMode = ""                     // asymmetric for nearest, else half_pixel
	CoordHalfPixel          CoordMode = "half_pixel"           // (i + ½)·step - ½
	CoordPyTorchHalfPixel   CoordMode = "pytorch_half_pixel"   // as half_pixel, 0 where out is 1
	CoordHalfPixelSymmetric CoordMode = "half_pixel_symmetric" // as half_pixel, in the middle of the operand
	CoordAsymmetric         CoordMode = "asymmetric"           // i·step
	CoordAlignCorners       CoordMode = "align_corners"        // i·(in - 1)/(out - 1)
	CoordCrop               CoordMode = "tf_crop_and_resize"   // from start·(in - 1) to end·(in - 1)
)

// NearestMode says which element is nearest to a position. They are those of ONNX's operator Resize.
type NearestMode string

// The modes of rounding.
const (
	NearestDefault          NearestMode = ""                   // floor for the mode nearest, round_prefer_ceil for nearest_exact
	NearestFloor            NearestMode = "floor"              //
	NearestCeil             NearestMode = "ceil"               //
	NearestRoundPreferFloor NearestMode = "round_prefer_floor" // ½ goes down
	NearestRoundPreferCeil  NearestMode = "round_prefer_ceil"  // ½ goes up
)

// InterpolateOptions say to which size and how. One of Size and Scale must be given; where both are, Scale says only where elements lie.
type InterpolateOptions struct {
	Mode      InterpolateMode `default:"nearest" doc:"nearest, nearest_exact, linear, cubic or area"`
	Size      []int           `default:"" doc:"extents of the result in its last axes"`
	Scale     []float64       `default:"" doc:"of its last axes: the extents are ⌊scale · extent⌋"`
	Coords    CoordMode       `default:"" doc:"where elements of the result lie in the operand"`
	Nearest   NearestMode     `default:"" doc:"which element is nearest"`
	Cubic     float64         `default:"0" doc:"coefficient of the cubic filter; 0: -0.75, with antialias -0.5"`
	Antialias bool            `default:"false" doc:"filters are stretched where the result is smaller"`
	Exclude   bool            `default:"false" doc:"what lies outside has no weight, instead of that at the edge"`
	Region    []float64       `default:"" doc:"of tf_crop_and_resize: starts, then ends, as parts of the operand"`
	Outside   float64         `default:"0" doc:"value where tf_crop_and_resize reaches outside"`
}

// Interpolate returns x resized along its last axes, as many as options have sizes:
//
//	y[p, i] = Σ_j filter(position(i) - j) · x[p, j]
//
// one axis after the other. x is any number or bool for the nearest modes, else a float; 16-bit floats are computed in
// float32. The default is PyTorch's nearest; its bilinear and bicubic are the modes linear and cubic, its
// align_corners = true is [CoordAlignCorners]; ONNX's Resize has all modes, of which half_pixel and round_prefer_floor are
// its defaults. Antialias has effect for linear and cubic. Errors: neither size nor scale; more of them than axes; an extent below 1; an
// unknown mode.
// Source: PyTorch, torch.nn.functional.interpolate; ONNX, operator Resize; Keys, Cubic convolution interpolation (1981).
func Interpolate(x *Node, o InterpolateOptions) *Node { return apply("interpolate", o, x) }

var _ = define(Op{
	Name: "interpolate", Category: "resampling", Complex: eachPart,
	Attributes: AttributesOf[InterpolateOptions](), Operands: operandX, DTypes: every,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		axes, err := c.Attr.(InterpolateOptions).axes(c.shape(0), c.dt(0))
		shape := c.Shape(0)
		for _, a := range axes {
			shape[a.Axis] = a.Out
		}
		return shape, c.dt(0), err
	},
	Compose: func(c *Call) *Node {
		o := c.Attr.(InterpolateOptions)
		axes, err := o.axes(c.shape(0), c.dt(0))
		if err != nil {
			return c.In[0].graph.fail("interpolate", c.In, err)
		}
		return o.outside(resampled(c.In[0], axes), axes)
	},
})

// resampled is x after one resampling along each axis: those that make it smaller first.
func resampled(x *Node, axes []resampleAttr) *Node {
	y := x
	slices.SortStableFunc(axes, func(a, b resampleAttr) int { return a.Out*b.In - b.Out*a.In })
	for i, a := range axes {
		if a.Filter != filterNearest {
			if y = widen(y); i > 0 { // not computed again for each tap; and only the last pass, along rows, reads an index for every element
				y = materialize(y)
			}
		}
		y = apply("resample", a, y)
	}
	return Cast(y, x.dtype)
}

// outside is y with the value outside of the region, where it was cropped.
func (o InterpolateOptions) outside(y *Node, axes []resampleAttr) *Node {
	if o.Coords != CoordCrop {
		return y
	}
	for _, a := range axes {
		beyond := make([]bool, a.Out)
		for i := range beyond {
			beyond[i] = a.outside(i)
		}
		if slices.Contains(beyond, true) {
			mask := ExpandDims(constOf(y.graph, tensor.Bool, beyond, a.Out), trailing(1, y.Rank()-1-a.Axis)...)
			y = Where(mask, ScalarLike(y, o.Outside), y)
		}
	}
	return y
}

// axes are the resamplings of a call, without those that change nothing.
func (o InterpolateOptions) axes(x []int, dt tensor.DType) ([]resampleAttr, error) {
	n := max(len(o.Size), len(o.Scale))
	filter, round, coords := filterNearest, o.Nearest, o.Coords
	switch o.Mode {
	case InterpolateNearest, "":
		if round == NearestDefault && coords == CoordDefault {
			coords, round = CoordAsymmetric, NearestFloor
		}
	case InterpolateNearestExact:
		if round == NearestDefault {
			round = NearestRoundPreferCeil
		}
	case InterpolateLinear, InterpolateCubic, InterpolateArea:
		filter = string(o.Mode)
	default:
		return nil, fmt.Errorf("the mode %q is none of nearest, nearest_exact, linear, cubic and area", o.Mode)
	}
	if coords == CoordDefault {
		coords = CoordHalfPixel
	}
	if round == NearestDefault {
		round = NearestRoundPreferFloor
	}
	switch {
	case n == 0:
		return nil, errors.New("neither a size nor a scale is given")
	case n > len(x) || len(o.Size) != n && len(o.Size) != 0 || len(o.Scale) != n && len(o.Scale) != 0:
		return nil, fmt.Errorf("the size %v and the scale %v do not fit the axes of %v", o.Size, o.Scale, x)
	case !hasDerivative(dt) && filter != filterNearest:
		return nil, fmt.Errorf("dtype %v is not a float, which the mode %q needs (cast with ops.Cast)", dt, o.Mode)
	case !slices.Contains([]CoordMode{CoordHalfPixel, CoordPyTorchHalfPixel, CoordHalfPixelSymmetric, CoordAsymmetric, CoordAlignCorners,
		CoordCrop}, coords):
		return nil, fmt.Errorf("the coordinates %q are unknown", coords)
	case !slices.Contains([]NearestMode{NearestFloor, NearestCeil, NearestRoundPreferFloor, NearestRoundPreferCeil}, round):
		return nil, fmt.Errorf("the rounding %q is unknown", round)
	case coords == CoordCrop && len(o.Region) != 2*n:
		return nil, fmt.Errorf("the region is %v, not %d starts and ends", o.Region, n)
	}
	cubic := o.Cubic
	if cubic == 0 {
		if cubic = -0.75; o.Antialias {
			cubic = -0.5
		}
	}
	var out []resampleAttr
	for i := range n {
		axis := len(x) - n + i
		a := resampleAttr{Axis: axis, In: x[axis], Filter: filter, Coords: coords, Round: round, Cubic: cubic, Antialias: o.Antialias,
			Exclude: o.Exclude}
		if len(o.Scale) > 0 {
			if a.Scale = o.Scale[i]; !(a.Scale > 0) || math.IsInf(a.Scale, 1) {
				return nil, fmt.Errorf("the scale is %v", o.Scale)
			}
			if scaled := float64(a.In) * a.Scale; scaled < math.MaxInt32 {
				a.Out = int(scaled)
			}
		}
		if len(o.Size) > 0 {
			a.Out = o.Size[i]
		}
		if a.Out < 1 || a.Out > math.MaxInt32 || a.In < 1 {
			return nil, fmt.Errorf("axis %d of %v would have %d elements", axis, x, a.Out)
		}
		if coords == CoordCrop {
			if a.Start, a.End = o.Region[i], o.Region[n+i]; math.IsNaN(a.Start+a.End) || math.IsInf(a.Start+a.End, 0) {
				return nil, fmt.Errorf("the region is %v", o.Region)
			}
		} else if a.Out == a.In && (a.Scale == 0 || a.Scale == 1) &&
			(filter != filterNearest || coords != CoordAsymmetric || round != NearestCeil) {
			continue
		}
		out = append(out, a)
	}
	return out, nil
}
