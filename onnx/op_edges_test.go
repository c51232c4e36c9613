package onnx

import (
	"bytes"
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/tensor"
)

// edge is one node with constant inputs beside x, in version 23 and that of ai.onnx.ml 3.
func edge(n *model.Node, x *tensor.Tensor, outputs []*model.Value, constants map[string]*tensor.Tensor) ([]byte, error) {
	g := &model.Graph{Name: "edge", Nodes: []*model.Node{n}, Outputs: outputs}
	in := typed("x", model.Float32)
	for _, d := range x.Shape() {
		in.Dims = append(in.Dims, model.Dim{Size: int64(d)})
	}
	g.Inputs = []*model.Value{in}
	for name, v := range constants {
		w, err := model.FromTensor(name, v)
		if err != nil {
			return nil, err
		}
		g.Initializers = append(g.Initializers, w)
	}
	return model.Encode(&model.Model{IR: 10, Opsets: map[string]int64{"": 23, "ai.onnx.ml": 3}, Graph: g}), nil
}

// ofEdge are the results of an edge.
func ofEdge(t *testing.T, n *model.Node, x *tensor.Tensor, constants map[string]*tensor.Tensor) map[string]*tensor.Tensor {
	var outputs []*model.Value
	for i, name := range n.Outputs {
		kind := model.Float32
		if n.Domain != "" && i == 0 && len(n.Outputs) == 2 {
			kind = model.Int64
		}
		outputs = append(outputs, &model.Value{Name: name, Kind: "tensor", Type: kind})
	}
	b, err := edge(n, x, outputs, constants)
	require.NoError(t, err)
	m, err := Read(bytes.NewReader(b))
	require.NoError(t, err)
	out, err := compile(t, m, nil).Run(context.Background(), map[string]*tensor.Tensor{"x": x})
	require.NoError(t, err)
	return out
}

func shaped(v []float32, shape ...int) *tensor.Tensor {
	return tensor.Must(tensor.FromSlice(v, shape...))
}

// An RNN of two directions takes numbers for the activations that have some, in turn, and defaults for the rest.
func TestActivationsTakeTheirNumbersInTurn(t *testing.T) {
	t.Parallel()
	n := node("RNN", []string{"x", "w", "r"}, "y", stringsAttr("activations", "Affine", "LeakyRelu"), floatsAttr("activation_alpha", 0.5), floatsAttr("activation_beta", 0.25),
		&model.Attr{Name: "direction", Type: model.AttrString, String: []byte("bidirectional")})
	x := shaped([]float32{1, -2, 3}, 3, 1, 1)
	y := ofEdge(t, n, x, map[string]*tensor.Tensor{"w": shaped([]float32{2, 3}, 2, 1, 1), "r": shaped([]float32{0.5, 0.25}, 2, 1, 1)})["y"]
	want := make([]float32, 6)
	in := []float64{1, -2, 3}
	h := 0.0
	for i := range 3 { // forward: 0.5·s + 0.25
		h = 0.5*(2*in[i]+0.5*h) + 0.25
		want[2*i] = float32(h)
	}
	h = 0
	for i := 2; i >= 0; i-- { // backward: leaky by 0.01
		if h = 3*in[i] + 0.25*h; h < 0 {
			h *= 0.01
		}
		want[2*i+1] = float32(h)
	}
	require.InDeltaSlice(t, want, tensor.MustSlice[float32](y), 1e-5)
}

func TestNumbersOfActivationsThatAreNobodysAreRefused(t *testing.T) {
	t.Parallel()
	for _, n := range []*model.Node{
		node("RNN", []string{"x", "w", "r"}, "y", stringsAttr("activations", "Tanh"), floatsAttr("activation_alpha", 0.5)),
		node("RNN", []string{"x", "w", "r"}, "y", stringsAttr("activations", "ScaledTanh")),
		node("RNN", []string{"x", "w", "r"}, "y", stringsAttr("activations", "Swish")),
	} {
		one := shaped([]float32{1}, 1, 1, 1)
		b, err := edge(n, one, []*model.Value{{Name: "y", Kind: "tensor", Type: model.Float32}}, map[string]*tensor.Tensor{"w": one, "r": one})
		require.NoError(t, err)
		_, err = Read(bytes.NewReader(b))
		require.ErrorIs(t, err, ErrUnsupported)
		require.ErrorContains(t, err, "activation")
	}
}

// Regions without extent have no samples where their number depends on it, and regions with too many are refused.
func TestRegionsAreSampledAsOftenAsTheyAreLarge(t *testing.T) {
	t.Parallel()
	image := make([]float32, 16)
	for i := range image {
		image[i] = float32(i + 1)
	}
	n := node("RoiAlign", []string{"x", "regions", "batch"}, "y")
	constants := func(regions ...float32) map[string]*tensor.Tensor {
		return map[string]*tensor.Tensor{"regions": shaped(regions, len(regions)/4, 4), "batch": tensor.Must(tensor.FromSlice(make([]int64, len(regions)/4), len(regions)/4))}
	}
	y := ofEdge(t, n, shaped(image, 1, 1, 4, 4), constants(1, 1, 1, 1, 0.5, 0.5, 3.5, 2.5, 3, 3, 1, 1, float32(math.NaN()), 0, 1, 1))["y"]
	require.Equal(t, []int{4, 1, 1, 1}, y.Shape())
	// The second is sampled at 3 x 2 places in the middles of as many parts of (0, 0) to (3, 2): the mean of 1 + x + 4y.
	require.InDeltaSlice(t, []float32{0, 1 + 1.5 + 4, 0, 0}, tensor.MustSlice[float32](y), 1e-5)

	b, err := edge(n, shaped(image, 1, 1, 4, 4), []*model.Value{{Name: "y", Kind: "tensor", Type: model.Float32}}, constants(0, 0, 1e6, 1))
	require.NoError(t, err)
	_, err = Read(bytes.NewReader(b))
	require.ErrorIs(t, err, ErrUnsupported)
	require.ErrorContains(t, err, "more than 4096")
}

func TestAQueryThatSeesNoKeyGetsNothing(t *testing.T) {
	t.Parallel()
	for _, cap := range []float32{0, 2} {
		n := node("Attention", []string{"x", "k", "v", "mask"}, "y", &model.Attr{Name: "softcap", Type: model.AttrFloat, Float: cap})
		y := ofEdge(t, n, shaped([]float32{1, 2}, 1, 1, 2, 1), map[string]*tensor.Tensor{
			"k": shaped([]float32{1, 3}, 1, 1, 2, 1), "v": shaped([]float32{5, 7}, 1, 1, 2, 1),
			"mask": tensor.Must(tensor.FromSlice([]bool{false, false, false, true}, 2, 2)),
		})["y"]
		require.InDeltaSlice(t, []float32{0, 7}, tensor.MustSlice[float32](y), 1e-6, "softcap %v", cap)
	}
}

// A LinearClassifier of two labels may have one score, that of the second.
func TestOneScoreIsThatOfTheSecondLabel(t *testing.T) {
	t.Parallel()
	for transform, of := range map[string]func(s float64) [2]float64{
		"NONE":     func(s float64) [2]float64 { return [2]float64{-s, s} },
		"LOGISTIC": func(s float64) [2]float64 { p := 1 / (1 + math.Exp(-s)); return [2]float64{1 - p, p} },
	} {
		n := &model.Node{Op: "LinearClassifier", Domain: "ai.onnx.ml", Inputs: []string{"x"}, Outputs: []string{"label", "scores"}, Attrs: []*model.Attr{
			floatsAttr("coefficients", 1, -2), floatsAttr("intercepts", 0.5), ints("classlabels_ints", 4, 9),
			{Name: "post_transform", Type: model.AttrString, String: []byte(transform)},
		}}
		out := ofEdge(t, n, shaped([]float32{1, 1, 3, 1, 0.5, 0.5}, 3, 2), nil)
		require.Equal(t, []int64{4, 9, 4}, tensor.MustSlice[int64](out["label"]))
		var want []float64
		for _, s := range []float64{-0.5, 1.5, 0} {
			p := of(s)
			want = append(want, p[:]...)
		}
		for i, w := range want {
			require.InDelta(t, w, out["scores"].Float64At(i), 1e-6)
		}
	}
}

// Pixels of PyTorch are half pixels, but for the only one of a result, which lies on the first of the image.
func TestAntialiasedPixelsOfPyTorch(t *testing.T) {
	t.Parallel()
	x := tensor.Must(tensor.FromSlice([]float32{1, -2, 4, 8, 3, 5}, 1, 6))
	resized := func(coordinates string, size int64) *tensor.Tensor {
		return run(t, compile(t, read(t, &model.Graph{
			Name: "resize", Inputs: []*model.Value{input("x", 1, 6)}, Outputs: []*model.Value{input("y", 1, int(size))},
			Initializers: []*model.Tensor{weight(t, "sizes", vector(1, size))},
			Nodes: []*model.Node{node("Resize", []string{"x", "", "", "sizes"}, "y", attrInt("antialias", 1),
				&model.Attr{Name: "mode", Type: model.AttrString, String: []byte("linear")},
				&model.Attr{Name: "coordinate_transformation_mode", Type: model.AttrString, String: []byte(coordinates)})},
		}), nil), x)
	}
	require.Equal(t, resized("half_pixel", 3), resized("pytorch_half_pixel", 3))
	require.InDelta(t, (21*1-5*2+4*4+3*8+2*3+1*5)/36.0, resized("pytorch_half_pixel", 1).Float64At(0), 1e-6)
}
