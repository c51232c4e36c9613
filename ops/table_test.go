package ops

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/tensor"
)

// exactOps give a float32 result without any rounding, so they have no ULP.
var exactOps = []string{
	"abs", "broadcast_to", "ceil", "clip", "concat", "embedding", "floor", "gather", "if", "iota", "max", "max_pool2d",
	"maximum", "min", "minimum", "neg", "one_hot", "pad", "prod", "rem", "relu", "reshape", "round", "scan", "scatter_add",
	"sign", "slice", "stop_gradient", "take_along", "transpose", "trunc", "where", "while", "windows",
}

func TestEveryOpIsWhole(t *testing.T) {
	t.Parallel()
	for op := range All() {
		assert.NotEmpty(t, op.Samples, "%s: samples", op.Name)
		assert.NotEmpty(t, op.DTypes, "%s: dtypes", op.Name)
		if op.Flat {
			assert.Nil(t, op.Grad, "%s has a derivative of zero and a rule for it", op.Name)
		}
		if s := op.Scalar; s != nil {
			assert.Nil(t, op.Compose, "%s is computed in two ways", op.Name)
			assert.NotNil(t, s.Host, "%s: the Go function", op.Name)
			assert.True(t, s.C != "" || s.CFor != nil, "%s: the OpenCL C expression", op.Name)
			assert.Positive(t, s.Flops, "%s: the cost", op.Name)
			assert.Equal(t, op.Name, s.Name)
		}
		labels := map[string]bool{}
		for _, s := range op.Samples {
			assert.False(t, labels[s.Label], "%s: two samples %q", op.Name, s.Label)
			labels[s.Label] = true
		}
	}
}

func TestEveryElementWiseFloatOpBoundsItsError(t *testing.T) {
	t.Parallel()
	for op := range All() {
		if op.Scalar == nil || !op.flowsThrough() || slices.Contains(exactOps, op.Name) {
			continue
		}
		g := NewGraph(op.Name)
		_, out := op.Samples[0].Call(op, g, tensor.Float32, sampleInputs(g, op.Samples[0], tensor.Float32))
		if out.DType().IsFloat() {
			assert.Positive(t, op.ULP, op.Name)
		}
	}
}

// sampleInputs declares the operands of s.
func sampleInputs(g *Graph, s Sample, dt tensor.DType) []*Node {
	var in []*Node
	for i, o := range s.Operands {
		d := dt
		if o.DType.Valid() {
			d = o.DType
		}
		in = append(in, g.Input(fmt.Sprintf("x%d", i), d, o.Shape...))
	}
	return in
}

// eachSample calls every sample of every op in every dtype that it is for.
func eachSample(f func(name string, op *Op, s Sample, dt tensor.DType)) {
	for op := range All() {
		for _, s := range op.Samples {
			for _, dt := range op.DTypes {
				if s.Only == nil || slices.Contains(s.Only, dt) {
					f(fmt.Sprintf("%s/%s/%v", op.Name, s.Label, dt), op, s, dt)
				}
			}
		}
	}
}

// requireLike demands the shape and dtype of want.
func requireLike(t *testing.T, want, got *Node, name string) {
	t.Helper()
	require.Equal(t, fmt.Sprint(want.DType(), want.Shape()), fmt.Sprint(got.DType(), got.Shape()), name)
}

func TestEverySampleBuilds(t *testing.T) {
	t.Parallel()
	eachSample(func(name string, op *Op, s Sample, dt tensor.DType) {
		g := NewGraph(name)
		_, out := s.Call(op, g, dt, sampleInputs(g, s, dt))
		require.NoError(t, g.Err(), name)
		if op.Compose != nil && out.op == op {
			c := out.composition()
			require.NoError(t, g.Err(), name)
			requireLike(t, out, c, name)
		}
	})
}

func TestEverySampleOfADifferentiableOpHasADerivative(t *testing.T) {
	t.Parallel()
	eachSample(func(name string, op *Op, s Sample, dt tensor.DType) {
		if !op.Differentiable() || !dt.IsFloat() {
			return
		}
		g := NewGraph(name)
		in := sampleInputs(g, s, dt)
		_, out := s.Call(op, g, dt, in)
		if !out.DType().IsFloat() {
			return
		}
		in = slices.DeleteFunc(in, func(x *Node) bool { return !x.DType().IsFloat() })
		dx := Gradients(Sum(out), in...)
		require.NoError(t, g.Err(), name)
		for i, d := range dx {
			requireLike(t, in[i], d, name)
		}
	})
}

func TestSamplesReachEveryDType(t *testing.T) {
	t.Parallel()
	reached := map[string]map[tensor.DType]bool{}
	eachSample(func(_ string, op *Op, _ Sample, dt tensor.DType) {
		if reached[op.Name] == nil {
			reached[op.Name] = map[tensor.DType]bool{}
		}
		reached[op.Name][dt] = true
	})
	for op := range All() {
		for _, dt := range op.DTypes {
			assert.True(t, reached[op.Name][dt], "%s in %v has no sample", op.Name, dt)
		}
	}
}

func TestErrorBoundsAreThoseOfTheSpecification(t *testing.T) {
	t.Parallel()
	// OpenCL C 3.0, section 7.4: single precision, full profile.
	for name, ulp := range map[string]float64{
		"add": 0.5, "sub": 0.5, "mul": 0.5, "div": 2.5, "reciprocal": 2.5, "rem": 0,
		"acos": 4, "asin": 4, "atan": 5, "atan2": 6, "cos": 4, "cosh": 4, "erf": 16, "exp": 3, "exp2": 3, "expm1": 3,
		"log": 3, "log2": 3, "log1p": 2, "pow": 16, "rsqrt": 2, "sin": 4, "sinh": 4, "sqrt": 3, "tan": 5, "tanh": 5,
		"floor": 0, "ceil": 0, "round": 0, "trunc": 0, "abs": 0,
	} {
		assert.InDelta(t, ulp, table[name].ULP, 0, name)
	}
}
