package optest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/sample"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

func TestAnOpWithoutASpecIsToldTheFileToEdit(t *testing.T) {
	t.Parallel()
	err := spec.Judgeable(&ops.Op{Name: "mish2"})
	require.EqualError(t, err, `op "mish2" has no spec: give what it computes, from the mathematics, its error bound and samples to optest.Register; `+
		`ops of this module do so in packages below ops/optest/internal, element-wise functions in elementwise/function.go, a line each`)
	require.FileExists(t, "internal/elementwise/function.go")
}

func TestEveryOpHasASpecAndEverySpecAnOp(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for op := range ops.Table() {
		known[op.Name] = true
		assert.NoError(t, spec.Judgeable(op)) // names the file to edit; the table itself would be pages
	}
	for name := range spec.Names() {
		require.True(t, known[name], "the spec of %s is of no op", name)
	}
}

func TestASpecThatLacksSomethingIsRefused(t *testing.T) {
	t.Parallel()
	whole := spec.Spec{Call: sample.One(ops.Neg), Reference: reference.Real1(func(x float64) float64 { return -x }), Tolerance: spec.Exact, Samples: []spec.Sample{{Label: "a"}}}
	for want, change := range map[string]func(s *spec.Spec){
		"optest: the spec of mish2 lacks a reference, the source of its tolerance, or samples": func(s *spec.Spec) { s.Samples = nil },
		`optest: sample "a" of mish2 has no Build, and the spec no Call`:                       func(s *spec.Spec) { s.Call = nil },
		`optest: two samples "a" of mish2`:                                                     func(s *spec.Spec) { s.Samples = slices.Repeat(s.Samples, 2) },
	} {
		s := whole
		change(&s)
		require.PanicsWithValue(t, want, func() { spec.Register("mish2", s) })
	}
	require.PanicsWithValue(t, "optest: two specs for neg", func() { spec.Register("neg", whole) })
	require.Nil(t, spec.Samples("mish2"))
}

// exactOps give a float32 result without any rounding.
var exactOps = []string{
	"abs", "broadcast_to", "ceil", "clip", "concat", "copysign", "embedding", "floor", "fmax", "fmin", "frac", "gather", "heaviside", "if", "iota", "max", "max_pool2d",
	"maximum", "min", "minimum", "neg", "nextafter", "one_hot", "pad", "prod", "rem", "relu", "reshape", "round", "scan", "scatter_add",
	"sign", "slice", "stop_gradient", "take_along", "transpose", "trunc", "where", "while", "windows",
}

func TestEveryElementWiseFloatOpBoundsItsError(t *testing.T) {
	t.Parallel()
	for op := range ops.Table() {
		if op.Scalar == nil || !slices.Contains(op.DTypes, tensor.Float32) || slices.Contains(exactOps, op.Name) {
			continue
		}
		c := cells(op, tensor.Float32)[0]
		if c.build(ops.NewGraph(op.Name)); c.out.DType().IsFloat() {
			assert.Positive(t, spec.Of(op.Name).Tolerance.ULP, op.Name)
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
		assert.InDelta(t, ulp, spec.Of(name).Tolerance.ULP, 0, name)
	}
}

// unjudged are the results that no sample gives. Whoever adds one takes it out of here.
var unjudged = []string{"linalg.cholesky info", "gru h", "linalg.inverse info", "lstm h", "linalg.lu_factor pivots", "linalg.lu_factor info", "linalg.solve info"}

// Some sample gives each result of an op that has several.
func TestEveryResultOfAnOpIsJudged(t *testing.T) {
	t.Parallel()
	for op := range ops.Table() {
		judged := map[int]bool{}
		for _, s := range spec.Samples(op.Name) {
			dt := mainDType(op)
			if s.Only != nil {
				dt = s.Only[0]
			}
			c := &cell{op: op, sample: s, dt: dt}
			c.build(ops.NewGraph(op.Name))
			call, result := callOf(op, c.out)
			assert.NotNil(t, call, "sample %q of %s", s.Label, op.Name)
			judged[result] = true
		}
		for i, name := range op.ResultNames {
			known := slices.Contains(unjudged, op.Name+" "+name)
			assert.NotEqual(t, known, judged[i] || judged[-1], "whether a sample of %s gives its result %d, %s", op.Name, i, name)
		}
	}
}
