package graphs_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/ir"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/inside"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// declare declares an operand.
func declare(g *Graph, dt tensor.DType, shape ...int) *Node { return g.Input("x", dt, shape...) }

func TestAMistakeNamesTheOpTheLineAndTheShapes(t *testing.T) {
	t.Parallel()
	type dt = tensor.DType
	const f32, f16, i32, i8, u8, boolean = tensor.Float32, tensor.Float16, tensor.Int32, tensor.Int8, tensor.Uint8, tensor.Bool
	x := func(g *Graph, d dt, shape ...int) *Node { return declare(g, d, shape...) }
	for _, c := range []struct {
		op    string
		wants []string // parts of the message
		call  func(g *Graph)
	}{
		{"add", []string{"[2 3] x [4 3]"}, func(g *Graph) { Add(x(g, f32, 2, 3), x(g, f32, 4, 3)) }},
		{"mul", []string{"float32[2]", "int32[3]", "ops.Cast"}, func(g *Graph) { Mul(x(g, f32, 2), x(g, i32, 3)) }},
		{"sub", []string{"a is bool", "not a number"}, func(g *Graph) { Sub(x(g, boolean, 2), x(g, boolean, 2)) }},
		{"rem", []string{"[2] x [3]"}, func(g *Graph) { Rem(x(g, i32, 2), x(g, i32, 3)) }},
		{"pow", []string{"a is int32", "not a float"}, func(g *Graph) { Pow(x(g, i32, 2), x(g, i32, 2)) }},
		{"exp", []string{"int32 is not a float"}, func(g *Graph) { Exp(x(g, i32, 2)) }},
		{"gelu", []string{"int32 is not a float"}, func(g *Graph) { GELU(x(g, i32, 2)) }},
		{"gelu_tanh", []string{"int32 is not a float"}, func(g *Graph) { GELUTanh(x(g, i32, 2)) }},
		{"relu", []string{"bool is not a number"}, func(g *Graph) { ReLU(x(g, boolean, 2)) }},
		{"leaky_relu", []string{"int32 is not a float"}, func(g *Graph) { LeakyReLU(x(g, i32, 2), 0.1) }},
		{"elu", []string{"bool is not a float"}, func(g *Graph) { ELU(x(g, boolean), 1) }},
		{"conv2d", []string{"stride [-1 1]", "negative"}, func(g *Graph) {
			Conv2D(x(g, f32, 1, 1, 5, 5), x(g, f32, 1, 1, 3, 3), Conv2DOptions{Stride: [2]int{-1, 1}})
		}},
		{"conv2d", []string{"groups -1", "negative"}, func(g *Graph) {
			Conv2D(x(g, f32, 1, 1, 5, 5), x(g, f32, 1, 1, 3, 3), Conv2DOptions{Groups: -1})
		}},
		{"conv2d", []string{"larger than image"}, func(g *Graph) {
			Conv2D(x(g, f32, 1, 1, 5, 5), x(g, f32, 1, 1, 3, 3), Conv2DOptions{Dilation: [2]int{math.MaxInt, 1}})
		}},
		{"conv2d", []string{"too many"}, func(g *Graph) {
			Conv2D(x(g, f32, 1, 1, 5, 5), x(g, f32, 1, 1, 3, 3), Conv2DOptions{Pad: [2]int{math.MaxInt, 1}})
		}},
		{"matmul_integer", []string{"float32", "not", "int8"}, func(g *Graph) { MatMulInteger(x(g, f32, 2, 3), x(g, i8, 3, 2), nil, nil) }},
		{"matmul_integer", []string{"b is int32", "QuantizeLinear"}, func(g *Graph) { MatMulInteger(x(g, i8, 2, 3), x(g, i32, 3, 2), nil, nil) }},
		{"matmul_integer", []string{"inner sizes"}, func(g *Graph) { MatMulInteger(x(g, i8, 2, 3), x(g, u8, 4, 2), nil, nil) }},
		{"matmul_integer", []string{"a is int8", "uint8"}, func(g *Graph) { MatMulInteger(x(g, i8, 2, 3), x(g, u8, 3, 2), x(g, u8), nil) }},
		{"matmul_integer", []string{"zero point of a is [3]"}, func(g *Graph) { MatMulInteger(x(g, i8, 2, 3), x(g, u8, 3, 2), x(g, i8, 3), nil) }},
		{"matmul_integer", []string{"zero point of b is [3 1]"}, func(g *Graph) { MatMulInteger(x(g, i8, 2, 3), x(g, u8, 3, 2), nil, x(g, u8, 3, 1)) }},
		{"matmul_integer", []string{"nil"}, func(g *Graph) { MatMulInteger(x(g, i8, 2, 3), nil, nil, nil) }},
		{"conv_integer", []string{"w is float32"}, func(g *Graph) {
			ConvInteger(x(g, i8, 1, 1, 5, 5), x(g, f32, 1, 1, 3, 3), nil, nil, Conv2DOptions{})
		}},
		{"conv_integer", []string{"zero point of w is [2]"}, func(g *Graph) {
			ConvInteger(x(g, i8, 1, 1, 5, 5), x(g, i8, 3, 1, 3, 3), nil, x(g, i8, 2), Conv2DOptions{})
		}},
		{"conv_integer", []string{"not one value"}, func(g *Graph) {
			ConvInteger(x(g, i8, 1, 1, 5, 5), x(g, i8, 3, 1, 3, 3), x(g, i8, 3), nil, Conv2DOptions{})
		}},
		{"quantize_linear", []string{"x is float32", "float16"}, func(g *Graph) { QuantizeLinear(x(g, f32, 3), x(g, f16), nil, 0) }},
		{"quantize_linear", []string{"zero is int32"}, func(g *Graph) { QuantizeLinear(x(g, f32, 3), x(g, f32), x(g, i32), 0) }},
		{"quantize_linear", []string{"scale is [2]", "along axis 0"}, func(g *Graph) { QuantizeLinear(x(g, f32, 3), x(g, f32, 2), nil, 0) }},
		{"dequantize_linear", []string{"scale is int32[], not a float"}, func(g *Graph) { DequantizeLinear(x(g, i8, 3), x(g, i32), nil, 0) }},
		{"dequantize_linear", []string{"axis 1"}, func(g *Graph) { DequantizeLinear(x(g, i8, 3), x(g, f32, 3), nil, 1) }},
		{"gradients", []string{"int8", "only floats have derivatives"}, func(g *Graph) {
			a := x(g, i8, 2, 2)
			Gradients(Sum(Cast(MatMulInteger(a, a, nil, nil), f32)), a)
		}},
		{"pad", []string{"too many bytes"}, func(g *Graph) {
			Pad(x(g, f32, 5), 0, Padding{Before: math.MaxInt, After: math.MaxInt})
		}},
		{"split", []string{"[4]"}, func(g *Graph) { Split(x(g, f32, 4), 0, math.MaxInt) }},
		{"matmul", []string{"[2147483648 2147483648]", "too many bytes"}, func(g *Graph) { MatMul(x(g, f32, 1<<31, 1), x(g, f32, 1, 1<<31)) }},
		{"kernel", []string{"[0 4 0]"}, func(g *Graph) {
			Kernel(g, KernelOptions{Source: "s", Entry: "e", Results: []Result{{DType: f32, Shape: []int{4}}}, Global: [3]int{0, 4}})
		}},
		{"kernel", []string{"[9 0 0]", "[4 0 0]"}, func(g *Graph) {
			Kernel(g, KernelOptions{Source: "s", Entry: "e", Results: []Result{{DType: f32, Shape: []int{9}}}, Local: [3]int{4}})
		}},
		{"clip", []string{"lower bound 3", "upper bound 2"}, func(g *Graph) { Clip(x(g, f32, 2), 3, 2) }},
		{"clip", []string{"NaN", "upper 2"}, func(g *Graph) { Clip(x(g, f32, 2), math.NaN(), 2) }},
		{"clip", []string{"int32", "[0.2, 0.8]"}, func(g *Graph) { Clip(x(g, i32, 2), 0.2, 0.8) }},
		{"and", []string{"a is float32", "not one of"}, func(g *Graph) { And(x(g, f32, 2), x(g, f32, 2)) }},
		{"shift_left", []string{"a is bool", "not an integer"}, func(g *Graph) { ShiftLeft(x(g, boolean), x(g, boolean)) }},
		{"less", []string{"float16[2]", "float32[2]"}, func(g *Graph) { Less(x(g, f16, 2), x(g, f32, 2)) }},
		{"is_nan", []string{"int32 is not a float"}, func(g *Graph) { IsNaN(x(g, i32)) }},
		{"where", []string{"int32[2]", "not bool"}, func(g *Graph) { Where(x(g, i32, 2), x(g, f32, 2), x(g, f32, 2)) }},
		{"where", []string{"float32[2]", "int32[2]"}, func(g *Graph) { Where(x(g, boolean, 2), x(g, f32, 2), x(g, i32, 2)) }},
		{"where", []string{"[2] x [3]"}, func(g *Graph) { Where(x(g, boolean, 2), x(g, f32, 2), x(g, f32, 3)) }},
		{"where", []string{"condition [4] x [2]"}, func(g *Graph) { Where(x(g, boolean, 4), x(g, f32, 2), x(g, f32, 1)) }},
		{"cast", []string{"dtype(99)"}, func(g *Graph) { Cast(x(g, f32, 2), dt(99)) }},
		{"softmax", []string{"axis 2", "rank 2"}, func(g *Graph) { Softmax(x(g, f32, 2, 3), 2) }},
		{"softmax", []string{"axis 0", "rank 0"}, func(g *Graph) { Softmax(x(g, f32), 0) }},
		{"softmax", []string{"[4 0]", "empty"}, func(g *Graph) { Softmax(x(g, f32, 4, 0), -1) }},
		{"attention", []string{"other features", "[2 3]", "[4 5]"}, func(g *Graph) { Attention(x(g, f32, 2, 3), x(g, f32, 4, 5), x(g, f32, 4, 5), nil) }},
		{"attention", []string{"other positions: 4 and 5"}, func(g *Graph) { Attention(x(g, f32, 2, 3), x(g, f32, 4, 3), x(g, f32, 5, 3), nil) }},
		{"attention", []string{"multiple of their heads"}, func(g *Graph) {
			Attention(x(g, f32, 5, 2, 3), x(g, f32, 2, 4, 3), x(g, f32, 2, 4, 3), nil)
		}},
		{"attention", []string{"mask [3 4]", "scores [2 4]"}, func(g *Graph) {
			Attention(x(g, f32, 2, 3), x(g, f32, 4, 3), x(g, f32, 4, 3), &AttentionOptions{Mask: x(g, f32, 3, 4)})
		}},
		{"attention", []string{"mask is int32"}, func(g *Graph) {
			Attention(x(g, f32, 2, 3), x(g, f32, 4, 3), x(g, f32, 4, 3), &AttentionOptions{Mask: x(g, i32, 2, 4)})
		}},
		{"attention", []string{"window is -1"}, func(g *Graph) {
			Attention(x(g, f32, 2, 3), x(g, f32, 4, 3), x(g, f32, 4, 3), &AttentionOptions{Window: -1})
		}},
		{"attention", []string{"two axes"}, func(g *Graph) { Attention(x(g, f32, 3), x(g, f32, 4, 3), x(g, f32, 4, 3), nil) }},
		{"attention", []string{"no features"}, func(g *Graph) { Attention(x(g, f32, 2, 0), x(g, f32, 4, 0), x(g, f32, 4, 3), nil) }},
		{"log_softmax", []string{"int32 is not a float"}, func(g *Graph) { LogSoftmax(x(g, i32, 2), 0) }},
		{"cross_entropy", []string{"[2 3 4]", "[N C]"}, func(g *Graph) { CrossEntropy(x(g, f32, 2, 3, 4), x(g, i32, 2)) }},
		{"cross_entropy", []string{"[5]", "[2 3]"}, func(g *Graph) { CrossEntropy(x(g, f32, 2, 3), x(g, i32, 5)) }},
		{"cross_entropy", []string{"labels is float32"}, func(g *Graph) { CrossEntropy(x(g, f32, 2, 3), x(g, f32, 2)) }},
		{"cross_entropy", []string{"empty", "[0 3]"}, func(g *Graph) { CrossEntropy(x(g, f32, 0, 3), x(g, i32, 0)) }},
		{"one_hot", []string{"depth -1"}, func(g *Graph) { OneHot(x(g, i32, 2), -1, f32) }},
		{"one_hot", []string{"float32 is not an integer"}, func(g *Graph) { OneHot(x(g, f32, 2), 3, f32) }},
		{"embedding", []string{"[3 4 5]", "[V D]"}, func(g *Graph) { Embedding(x(g, f32, 3, 4, 5), x(g, i32, 2)) }},
		{"embedding", []string{"ids is float32"}, func(g *Graph) { Embedding(x(g, f32, 3, 4), x(g, f32, 2)) }},
		{"dropout", []string{"rate 1 "}, func(g *Graph) { Dropout(x(g, f32, 2), 1) }},
		{"dropout", []string{"rate NaN"}, func(g *Graph) { Dropout(x(g, f32, 2), math.NaN()) }},
		{"batch_norm", []string{"[4]", "[N C]"}, func(g *Graph) {
			c := x(g, f32, 4)
			BatchNorm(c, c, c, c, c, 1e-5)
		}},
		{"batch_norm", []string{"mean is [3]", "[4]", "[2 4]"}, func(g *Graph) {
			c := x(g, f32, 4)
			BatchNorm(x(g, f32, 2, 4), c, c, x(g, f32, 3), c, 1e-5)
		}},
		{"batch_norm", []string{"x is float16", "scale is float32"}, func(g *Graph) {
			c := x(g, f32, 4)
			BatchNorm(x(g, f16, 2, 4), c, c, c, c, 1e-5)
		}},
		{"batch_norm_train", []string{"empty", "[0 4]"}, func(g *Graph) {
			y, mean, variance := BatchNormTrain(x(g, f32, 0, 4), x(g, f32, 4), x(g, f32, 4), 1e-5)
			Add(y, Add(mean, variance)) // silent: the mistake has been reported
		}},
		{"layer_norm", []string{"x is []"}, func(g *Graph) { LayerNorm(x(g, f32), x(g, f32), x(g, f32), 1e-5) }},
		{"layer_norm", []string{"shift is [5]", "[6]"}, func(g *Graph) { LayerNorm(x(g, f32, 2, 6), x(g, f32, 6), x(g, f32, 5), 1e-5) }},
		{"layer_norm", []string{"eps is -1"}, func(g *Graph) { LayerNorm(x(g, f32, 6), x(g, f32, 6), x(g, f32, 6), -1) }},
	} {
		g := NewGraph("mistakes")
		c.call(g)
		err := g.Err()
		require.Error(t, err, c.op)
		ge, ok := errors.AsType[*GraphError](err)
		require.True(t, ok)
		require.Len(t, ge.Errs, 1, "%s: %v", c.op, err)
		assert.Contains(t, err.Error(), "\n  "+c.op+" at graphs/mistakes_test.go:", c.op)
		for _, part := range c.wants {
			assert.Contains(t, err.Error(), part, c.op)
		}
	}
}

func TestAMistakeInsideACompositeIsFoundBeforeItsParts(t *testing.T) {
	t.Parallel()
	g := NewGraph("g")
	y := CrossEntropy(declare(g, tensor.Float32, 2, 3), declare(g, tensor.Int32, 4))
	Gradients(Add(y, y), y)
	require.Error(t, g.Err())
	require.Equal(t, 1, strings.Count(g.Err().Error(), " at graphs/"), g.Err())
}

func TestNilOperandsAreErrors(t *testing.T) {
	t.Parallel()
	g := NewGraph("g")
	x := declare(g, tensor.Float32, 2, 3)
	for name, call := range map[string]func(){
		"add":              func() { Add(x, (*Node)(nil)) },
		"maximum":          func() { Maximum((*Node)(nil), x) },
		"where":            func() { Where(nil, x, x) },
		"softmax":          func() { Softmax(nil, 0) },
		"cross_entropy":    func() { CrossEntropy(x, nil) },
		"embedding":        func() { Embedding(x, nil) },
		"layer_norm":       func() { LayerNorm(x, nil, nil, 0) },
		"batch_norm_train": func() { BatchNormTrain(x, nil, nil, 0) },
		"clip":             func() { Clip(nil, 0, 1) },
		"cast":             func() { Cast(nil, tensor.Float32) },
	} {
		require.NotPanics(t, call, name)
	}
	for _, name := range []string{"add", "maximum", "where", "cross_entropy", "embedding", "batch_norm_train"} {
		assert.Contains(t, g.Err().Error(), "\n  "+name+" at graphs/mistakes_test.go:", "an operand is nil")
	}
}

func TestResultsHaveTheBroadcastShapeAndTheRightDType(t *testing.T) {
	t.Parallel()
	g := NewGraph("g")
	a, b := declare(g, tensor.Float16, 5, 1, 7), declare(g, tensor.Float16, 3, 1)
	c := declare(g, tensor.Bool, 2, 1, 1, 7)
	ids := declare(g, tensor.Uint8, 4, 2)
	for name, r := range map[string]struct {
		y     *Node
		dt    tensor.DType
		shape []int
	}{
		"pow":      {Pow(a, b), tensor.Float16, []int{5, 3, 7}},
		"less":     {Less(a, b), tensor.Bool, []int{5, 3, 7}},
		"where":    {Where(c, a, b), tensor.Float16, []int{2, 5, 3, 7}},
		"isnan":    {IsNaN(a), tensor.Bool, []int{5, 1, 7}},
		"cast":     {Cast(a, tensor.Int8), tensor.Int8, []int{5, 1, 7}},
		"softmax":  {Softmax(a, -2), tensor.Float16, []int{5, 1, 7}},
		"one hot":  {OneHot(ids, 9, tensor.BFloat16), tensor.BFloat16, []int{4, 2, 9}},
		"embed":    {Embedding(declare(g, tensor.Int16, 11, 3), ids), tensor.Int16, []int{4, 2, 3}},
		"entropy":  {CrossEntropy(declare(g, tensor.Float64, 4, 3), declare(g, tensor.Int8, 4)), tensor.Float64, []int{}},
		"dropout":  {Dropout(b, 0.5), tensor.Float16, []int{3, 1}},
		"clip":     {Clip(ids, 2, 5), tensor.Uint8, []int{4, 2}},
		"shift":    {ShiftRight(ids, ids), tensor.Uint8, []int{4, 2}},
		"gradient": {Gradients(Sum(Where(c, a, b)), b)[0], tensor.Float16, []int{3, 1}},
	} {
		require.NoError(t, g.Err(), name)
		assert.Equal(t, r.dt, r.y.DType(), name)
		assert.ElementsMatch(t, r.shape, r.y.Shape(), name)
	}
	_, mean, variance := BatchNormTrain(declare(g, tensor.Float16, 2, 6, 4, 4), declare(g, tensor.Float16, 6), declare(g, tensor.Float16, 6), 1e-5)
	require.NoError(t, g.Err())
	for _, s := range []*Node{mean, variance} {
		assert.Equal(t, []int{6}, s.Shape())
		assert.Equal(t, tensor.Float16, s.DType())
	}
}

func TestCastToTheSameDTypeIsTheOperand(t *testing.T) {
	t.Parallel()
	x := declare(NewGraph("g"), tensor.Float32, 3)
	require.Same(t, x, Cast(x, tensor.Float32))
}

func TestDropoutDrawsOnceForValueAndDerivative(t *testing.T) {
	t.Parallel()
	g := NewGraph("g")
	x := declare(g, tensor.Float32, 64)
	Gradients(Sum(Dropout(x, 0.5)), x)
	require.NoError(t, g.Err())
	streams := map[uint32]bool{}
	for n := range g.Nodes() {
		if draw, ok := n.Attr().(ir.RandomAttr); ok {
			streams[draw.Stream] = true
		}
	}
	require.Len(t, streams, 1)
}

func TestTheMistakeOfAnOpOfNilReachesTheGraph(t *testing.T) {
	t.Parallel()
	rt := opstest.CPUOnly(t)
	g := NewGraph("g")
	x := declare(g, tensor.Float32, 2)
	lost := ReLU(nil)
	for _, y := range []*Node{lost, Add(x, lost), Add(lost, x), Concat(0, ReLU(nil), x)} {
		_, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{y}})
		require.ErrorContains(t, err, "relu at graphs/mistakes_test.go")
		require.NotContains(t, err.Error(), "detached")
	}
	require.Len(t, g.Err().(*GraphError).Errs, 2, "each once")
}

func TestNilGraphsRuntimesAndContextsAreErrors(t *testing.T) {
	t.Parallel()
	rt := opstest.CPUOnly(t)
	var none *Graph
	for name, n := range map[string]*Node{
		"input": none.Input("x", tensor.Float32), "const": none.Const(opstest.Vec(t, nil)), "variable": none.Variable("v", opstest.Vec(t, nil)),
		"full": none.Full(tensor.Float32, 1, 2), "iota": none.Iota(tensor.Int32, 0, 2), "uniform": none.Uniform(tensor.Float32, 2),
		"kernel": Kernel(none, KernelOptions{})[0],
	} {
		require.Error(t, n.Graph().Err(), name)
	}
	_, err := none.Compile(t.Context(), rt, Target{})
	require.ErrorContains(t, err, "the graph is nil")
	g := NewGraph("g")
	v := g.Variable("v", opstest.Vec(t, []int{2}))
	target := Target{Outputs: []*Node{Neg(v)}}
	for _, rt := range []*Runtime{nil, {}, NewRuntime(), NewRuntime(nil)} {
		_, err = g.Compile(t.Context(), rt, target)
		require.ErrorContains(t, err, "no runtime")
	}
	_, err = g.Compile(t.Context(), NewRuntime(inside.Machine(rt).Engines[0], inside.Machine(rt).Engines[0]), target)
	require.ErrorContains(t, err, "the runtime has the engine cpu twice")
	var ctx context.Context
	_, err = g.Compile(ctx, rt, target)
	require.ErrorContains(t, err, "context is nil")
	_, err = Value(ctx, v)
	require.ErrorContains(t, err, "context is nil")
	exe, err := g.Compile(t.Context(), rt, target)
	require.NoError(t, err)
	_, err = exe.Run(ctx, nil)
	require.ErrorContains(t, err, "context is nil")
	target.Place = Device(-1)
	_, err = g.Compile(t.Context(), rt, target)
	require.ErrorContains(t, err, "place is -1")
}
