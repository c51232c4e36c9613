package onnx_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// outside defines an element-wise op as another package does.
func outside(name, c string, f func(a float64) float64) *ops.Op {
	op := ops.MustDefine(ops.Op{
		Name: "onnxtest." + name, Category: "elementary function", Operands: []ops.Operand{{Name: "x"}}, DTypes: []tensor.DType{tensor.Float32, tensor.Float64},
		Result: ops.SameResult, NoGrad: "nobody wants one", Scalar: &engine.Scalar{OpenCL: c, Flops: 4, Host: engine.HostOf1(f)},
	})
	return op
}

var (
	_ = outside("soft", "a > 2.0f ? a : isnan(a) ? -1.0f : log(1.0f + exp(a)) * M_SQRT1_2_F", func(a float64) float64 {
		switch {
		case a > 2:
			return a
		case a != a:
			return -1
		}
		return math.Log(1+math.Exp(a)) * math.Sqrt2 / 2
	})
	_ = outside("unknown", "lgamma_r(a, 0)", math.Gamma)
)

// Element-wise ops of other packages are written from their OpenCL C.
func TestOpsOfOtherPackagesAreWritten(t *testing.T) {
	t.Parallel()
	in := tensor.Must(tensor.FromSlice([]float32{-3, 0, 1.5, 2, 2.5, float32(math.NaN()), float32(math.Inf(1))}))
	g := ops.NewGraph("outside")
	y := ops.Apply("onnxtest.soft", nil, g.Input("x", tensor.Float32, 7))
	rt := ops.NewRuntime(fallback.New(nil))
	defer rt.Close()
	got, err := throughFile(t, rt, []onnx.Output{{Name: "y", Node: y}}, map[string]*tensor.Tensor{"x": in})
	require.NoError(t, err)
	want := tensor.Must(tensor.FromSlice([]float32{0.0343564, 0.4901291, 1.2030807, 1.5039652, 2.5, -1, float32(math.Inf(1))}))
	ok, text := tensor.AllClose(got["y"], want, 1e-5, 1e-6)
	require.True(t, ok, text)
}

// Ops that cannot be written are refused with the reason.
func TestRefusalsSayWhy(t *testing.T) {
	t.Parallel()
	for want, build := range map[string]func(g *ops.Graph, x *ops.Node) *ops.Node{
		"the function lgamma_r": func(_ *ops.Graph, x *ops.Node) *ops.Node { return ops.Apply("onnxtest.unknown", nil, x) },
		"it draws at random":    func(g *ops.Graph, x *ops.Node) *ops.Node { return ops.Add(x, g.Uniform(tensor.Float32, 7)) },
		"TreeEnsembleRegressor": forest,
		"results are to be their parts": func(_ *ops.Graph, x *ops.Node) *ops.Node {
			return ops.ViewAsComplex(ops.Reshape(ops.Concat(0, x, x), 7, 2))
		},
	} {
		g := ops.NewGraph("refused")
		var b bytes.Buffer
		err := onnx.Write(t.Context(), &b, []onnx.Output{{Name: "y", Node: build(g, g.Input("x", tensor.Float32, 7))}}, nil)
		require.ErrorIs(t, err, onnx.ErrUnsupported)
		require.ErrorContains(t, err, want)
	}
}

// forest is an ensemble of trees for float64.
func forest(_ *ops.Graph, x *ops.Node) *ops.Node {
	e := &ops.TreeEnsemble{Trees: [][]ops.TreeNode{{{Mode: ops.TreeLeaf, Weights: []ops.TreeWeight{{Value: 1}}}}}}
	return ops.TreeRegress(ops.Cast(ops.Reshape(x, 7, 1), tensor.Float64), e)
}
