package codegen

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/tensor"
)

// chained is the text of a function that applies fn to an element and the first constant, to that and the second, and so on, and the
// arguments that it takes.
func chained(fn *engine.Scalar, dt tensor.DType, values ...engine.Const) (text string, arguments []int64) {
	e := engine.Load(0, dt, engine.AxisIndex(0), nil)
	for _, v := range values {
		e = engine.Apply(fn, dt, e, engine.Constant(dt, v))
	}
	g := New(&facts.Device{}, mapTask(engine.Domain{1}, e, engine.Operand{DType: dt, Len: 1}))
	g.Hook("VALUE", []Coord{{Name: "i", Axes: []int{0}}}, e, tensor.Invalid)
	for _, a := range g.ints {
		arguments = append(arguments, a.Value)
	}
	return g.Hooks.String(), arguments
}

func TestProgramsThatDifferInAScaleOrAZeroPointAreOne(t *testing.T) {
	add := &engine.Scalar{Name: "add", Function: engine.FnAdd, Arity: 2, OpenCL: "a + b"}
	div := &engine.Scalar{Name: "div", Function: engine.FnDiv, Arity: 2, OpenCL: "a / b"}
	text := func(fn *engine.Scalar, dt tensor.DType, values ...engine.Const) string {
		s, _ := chained(fn, dt, values...)
		return s
	}
	float := func(v float64) engine.Const { return engine.Const{Float: v} }
	whole := func(v int64) engine.Const { return engine.Const{Int: v} }
	for _, dt := range []tensor.DType{tensor.Float16, tensor.BFloat16, tensor.Float32} {
		require.Equal(t, text(div, dt, float(0.1)), text(div, dt, float(1e-7)), dt)
		for _, known := range []float64{0, 1, 0.5, 100, math.Inf(1), math.NaN()} {
			require.NotEqual(t, text(div, dt, float(0.1)), text(div, dt, float(known)), known)
		}
	}
	require.NotEqual(t, text(add, tensor.Float64, float(0.1)), text(add, tensor.Float64, float(0.2)), "two arguments each")
	for _, dt := range []tensor.DType{tensor.Int8, tensor.Uint8, tensor.Int32, tensor.Int64} {
		require.Equal(t, text(add, dt, whole(112)), text(add, dt, whole(135)), dt)
		require.NotEqual(t, text(div, dt, whole(112)), text(div, dt, whole(113)), "a compiler multiplies instead")
	}
	require.NotEqual(t, text(add, tensor.Int64, whole(math.MaxInt32)), text(add, tensor.Int64, whole(math.MaxInt32+1)))
}

func TestConstantsThatAreArgumentsKeepTheirBits(t *testing.T) {
	add := &engine.Scalar{Name: "add", Function: engine.FnAdd, Arity: 2, OpenCL: "a + b"}
	s, arguments := chained(add, tensor.Float32, engine.Const{Float: -0.1})
	require.Contains(t, s, "as_float((int)(n0))")
	require.Equal(t, []int64{int64(int32(math.Float32bits(-0.1)))}, arguments)
	s, arguments = chained(add, tensor.Uint8, engine.Const{Int: 200})
	require.Contains(t, s, "(uchar)(n0)")
	require.Equal(t, []int64{200}, arguments)
}

func TestCoefficientsStayInTheText(t *testing.T) {
	add := &engine.Scalar{Name: "add", Function: engine.FnAdd, Arity: 2, OpenCL: "a + b"}
	for n := 1; n <= mostFloats+2; n++ {
		var values []engine.Const
		for i := range n {
			values = append(values, engine.Const{Float: 0.1 + 0.01*float64(i)})
		}
		_, arguments := chained(add, tensor.Float32, values...)
		require.Len(t, arguments, map[bool]int{true: n}[n <= mostFloats], fmt.Sprint(n))
	}
}
