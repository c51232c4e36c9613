package neural

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/sample"
	"github.com/anycl/anycl/ops/optest/internal/spec"
)

// Moves between channels and positions, and samples at positions that are computed.

// foldCase is the attribute of samples of im2col and col2im.
type foldCase struct {
	moves
	size, image []int
}

// each visits every element q of the image, [N, C, ...], and of the columns, p, that belong together.
func (f foldCase) each(image []int, visit func(p, q int)) {
	n := len(f.size)
	out := make([]int, n)
	for a := range n {
		out[a] = positionsOf(image[2+a]+2*f.before[a], f.dilation[a]*(f.size[a]-1)+1, f.stride[a])
	}
	columns := []int{image[0], image[1], spec.Count(f.size), spec.Count(out)}
	for p, at := range reference.Coordinates(columns) {
		k, l := reference.Coordinate(f.size, at[2]), reference.Coordinate(out, at[3])
		q, inside := []int{at[0], at[1]}, true
		for a := range n {
			v := l[a]*f.stride[a] + k[a]*f.dilation[a] - f.before[a]
			q, inside = append(q, v), inside && v >= 0 && v < image[2+a]
		}
		if inside {
			visit(p, reference.Position(image, q))
		}
	}
}

func init() {
	type node = *ops.Node
	depth := func(inverse bool) spec.Reference {
		return func(c spec.Case) spec.Result {
			x, r := c.In[0], reference.Attr[[2]int](c)
			y := spec.NewArray(x.DType, c.Shape...)
			deep, wide := x.Shape, c.Shape
			if inverse {
				deep, wide = wide, deep
			}
			k := len(deep) - 3
			for p, at := range reference.Coordinates(wide) {
				from := slices.Clone(at)
				i, j := at[k+1]%r[0], at[k+2]%r[0]
				from[k+1], from[k+2] = at[k+1]/r[0], at[k+2]/r[0]
				if from[k] = at[k]*r[0]*r[0] + i*r[0] + j; r[1] == 1 {
					from[k] = (i*r[0]+j)*wide[k] + at[k]
				}
				if q := reference.Position(deep, from); inverse {
					reference.CopyElement(y, q, x, p)
				} else {
					reference.CopyElement(y, p, x, q)
				}
			}
			return reference.Exactly(y)
		}
	}
	spec.Register("depth_to_space", spec.Spec{
		Reference: depth(false), Tolerance: spec.Moved,
		Samples: []spec.Sample{
			{Label: "shuffle", Operands: []spec.Operand{{Shape: []int{2, 12, 3, 5}}}, Attr: [2]int{2, 0},
				Build: func(in []node) node { return ops.PixelShuffle(in[0], 2) }},
			{Label: "blocks first", Operands: []spec.Operand{{Shape: []int{18, 2, 3}}}, Attr: [2]int{3, 1},
				Build: func(in []node) node { return ops.DepthToSpace(in[0], 3, true) }},
		},
	})
	spec.Register("space_to_depth", spec.Spec{
		Reference: depth(true), Tolerance: spec.Moved,
		Samples: []spec.Sample{
			{Label: "unshuffle", Operands: []spec.Operand{{Shape: []int{2, 3, 4, 6}}}, Attr: [2]int{2, 0},
				Build: func(in []node) node { return ops.PixelUnshuffle(in[0], 2) }},
			{Label: "blocks first", Operands: []spec.Operand{{Shape: []int{2, 6, 9}}}, Attr: [2]int{3, 1},
				Build: func(in []node) node { return ops.SpaceToDepth(in[0], 3, true) }},
		},
	})
	spec.Register("channel_shuffle", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x, g := c.In[0], reference.Attr[int](c)
			y := spec.NewArray(x.DType, x.Shape...)
			for p, at := range reference.Coordinates(x.Shape) {
				from := slices.Clone(at)
				from[1] = at[1]%g*(x.Shape[1]/g) + at[1]/g
				reference.CopyElement(y, p, x, reference.Position(x.Shape, from))
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Moved,
		Samples: []spec.Sample{{Label: "images", Operands: []spec.Operand{{Shape: []int{2, 6, 3, 2}}}, Attr: 3,
			Build: func(in []node) node { return ops.ChannelShuffle(in[0], 3) }}},
	})
	spec.Register("im2col", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			y := spec.NewArray(c.In[0].DType, c.Shape...)
			reference.Attr[foldCase](c).each(c.In[0].Shape, func(p, q int) { reference.CopyElement(y, p, c.In[0], q) })
			return reference.Exactly(y)
		},
		Tolerance: spec.Moved,
		Samples: []spec.Sample{
			{Label: "images", Operands: []spec.Operand{{Shape: []int{2, 3, 5, 6}}},
				Attr: foldCase{moves{[]int{2, 1}, []int{1, 1}, []int{1, 2}, 1}, []int{2, 3}, nil},
				Build: func(in []node) node {
					return ops.Unfold(in[0], ops.FoldOptions{Size: []int{2, 3}, Stride: []int{2, 1}, Pad: []int{1}, Dilation: []int{1, 2}})
				}},
			{Label: "sequence", Operands: []spec.Operand{{Shape: []int{2, 2, 7}}}, Attr: foldCase{moves{}.normal(1), []int{3}, nil},
				Build: func(in []node) node { return ops.Unfold(in[0], ops.FoldOptions{Size: []int{3}}) }},
		},
	})
	spec.Register("col2im", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			f, x := reference.Attr[foldCase](c), c.In[0]
			s := reference.NewSum(x.DType, c.Shape)
			f.each(c.Shape, func(p, q int) { s.Plus(q, x, p) })
			return spec.Result{Array: s.Y, Terms: s.Terms, N: float64(spec.Count(f.size))}
		},
		Tolerance: spec.Summed(spec.AnySum),
		Samples: []spec.Sample{
			{Label: "images", Operands: []spec.Operand{{Shape: []int{2, 18, 12}}},
				Attr: foldCase{moves{[]int{2, 1}, []int{1, 1}, []int{1, 2}, 1}, []int{2, 3}, []int{5, 6}},
				Build: func(in []node) node {
					return ops.Fold(in[0], []int{5, 6}, ops.FoldOptions{Size: []int{2, 3}, Stride: []int{2, 1}, Pad: []int{1}, Dilation: []int{1, 2}})
				}},
			{Label: "sequence", Operands: []spec.Operand{{Shape: []int{2, 6, 5}}}, Attr: foldCase{moves{}.normal(1), []int{3}, []int{7}},
				Build: func(in []node) node { return ops.Fold(in[0], []int{7}, ops.FoldOptions{Size: []int{3}}) }},
		},
	})
	spec.Register("grid_sample", spec.Spec{
		Reference: gridSample,
		Tolerance: spec.Tolerance{ULP: 8, ULP64: 8, Terms: 1, Stored: 2, Source: spec.Composition},
		Samples: []spec.Sample{
			gridCase("bilinear", []int{2, 3, 4, 5}, []int{2, 3, 2, 2}, ops.GridSampleOptions{}),
			gridCase("bilinear, reflected, aligned", []int{1, 2, 4, 5}, []int{1, 3, 4, 2},
				ops.GridSampleOptions{Pad: ops.GridReflection, Align: true}),
			gridCase("bicubic, reflected", []int{1, 2, 4, 5}, []int{1, 3, 4, 2},
				ops.GridSampleOptions{Mode: ops.InterpolateCubic, Pad: ops.GridReflection}),
			gridCase("bicubic, border", []int{1, 2, 3, 4}, []int{1, 3, 2, 2},
				ops.GridSampleOptions{Mode: ops.InterpolateCubic, Pad: ops.GridBorder, Align: true}),
			gridCase("nearest, border", []int{1, 2, 4, 5}, []int{1, 3, 4, 2},
				ops.GridSampleOptions{Mode: ops.InterpolateNearest, Pad: ops.GridBorder}),
			gridCase("trilinear", []int{2, 2, 3, 4, 2}, []int{2, 2, 3, 2, 3}, ops.GridSampleOptions{Align: true}),
		},
	})
	spec.Register("affine_grid", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			t, align := c.In[0], reference.Attr[bool](c)
			y := spec.NewArray(t.DType, c.Shape...)
			terms := make([]float64, y.Len())
			n := len(c.Shape) - 2
			for p, at := range reference.Coordinates(c.Shape) {
				for j := range n + 1 {
					v := 1.0
					if j < n {
						i, e := float64(at[n-j]), float64(c.Shape[n-j])
						if v = (2*i+1)/e - 1; align {
							v = 2*i/(e-1) - 1
						}
					}
					w := t.F[reference.Position(t.Shape, []int{at[0], at[n+1], j})]
					y.F[p] += w * v
					terms[p] += math.Abs(w)
				}
			}
			return spec.Result{Array: y, Terms: terms, N: 8}
		},
		Tolerance: spec.Tolerance{ULP: 2, ULP64: 2, Terms: 1, Stored: 1, Source: spec.Composition},
		Samples: []spec.Sample{
			{Label: "images", Operands: []spec.Operand{{Shape: []int{2, 2, 3}}}, Attr: true,
				Build: func(in []node) node { return ops.AffineGrid(in[0], []int{2, 3, 4, 5}, true) }},
			{Label: "volumes", Operands: []spec.Operand{{Shape: []int{2, 3, 4}}}, Attr: false,
				Build: func(in []node) node { return ops.AffineGrid(in[0], []int{2, 1, 2, 3, 4}, false) }},
		},
	})
}

func gridCase(label string, x, grid []int, o ops.GridSampleOptions) spec.Sample {
	return spec.Sample{
		Label: label, Operands: []spec.Operand{{Shape: x}, {Shape: grid, Lo: -1.4, Hi: 1.4}}, Attr: o,
		Build: func(in []*ops.Node) *ops.Node { return ops.GridSample(in[0], in[1], &o) },
		Only:  sample.FloatDTypes[2:], // where 16 bits of a coordinate would decide between elements
	}
}

// gridSample is written for one axis after the other, over all elements of each.
func gridSample(c spec.Case) spec.Result {
	o, x, grid := reference.Attr[ops.GridSampleOptions](c), c.In[0], c.In[1]
	n := len(x.Shape) - 2
	y := spec.NewArray(x.DType, c.Shape...)
	terms := make([]float64, y.Len())
	inside := func(v, e float64) float64 {
		switch o.Pad {
		case ops.GridReflection:
			low, high := -0.5, e-0.5
			if o.Align {
				low, high = 0, e-1
			}
			for v < low || v > high {
				if v < low {
					v = 2*low - v
				} else {
					v = 2*high - v
				}
			}
			return min(max(v, 0), e-1)
		case ops.GridBorder:
			return min(max(v, 0), e-1)
		}
		return v
	}
	for p, at := range reference.Coordinates(c.Shape) {
		weights := make([][]float64, n)
		for a := range n {
			e := float64(x.Shape[2+a])
			g := grid.F[reference.Position(grid.Shape, append(append([]int{at[0]}, at[2:]...), n-1-a))]
			v := ((g+1)*e - 1) / 2
			if o.Align {
				v = (g + 1) / 2 * (e - 1)
			}
			weights[a] = make([]float64, x.Shape[2+a])
			put := func(i, w float64) {
				if i >= 0 && i < e {
					weights[a][int(i)] += w
				}
			}
			switch o.Mode {
			case ops.InterpolateNearest:
				put(math.RoundToEven(inside(v, e)), 1)
			case ops.InterpolateCubic:
				for k := -1.0; k <= 2; k++ {
					d, w := math.Abs(v-math.Floor(v)-k), 0.0
					const q = -0.75
					if d < 1 {
						w = (q+2)*d*d*d - (q+3)*d*d + 1
					} else {
						w = q*d*d*d - 5*q*d*d + 8*q*d - 4*q
					}
					put(inside(math.Floor(v)+k, e), w)
				}
			default:
				v = inside(v, e)
				put(math.Floor(v), 1-(v-math.Floor(v)))
				put(math.Floor(v)+1, v-math.Floor(v))
			}
		}
		for _, i := range reference.Coordinates(x.Shape[2:]) {
			w, size := 1.0, 1.0
			for a := range i {
				w *= weights[a][i[a]]
				// A weight has the error of its coordinate: some units of the extent.
				size *= math.Abs(weights[a][i[a]]) + 8*float64(x.Shape[2+a])
			}
			if w != 0 {
				v := x.F[reference.Position(x.Shape, append([]int{at[0], at[1]}, i...))]
				y.F[p] += w * v
				terms[p] += size * math.Abs(v)
			}
		}
	}
	return spec.Result{Array: y, Terms: terms, N: 8}
}
