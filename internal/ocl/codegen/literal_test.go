package codegen

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

func TestLiteralsReadBackExactly(t *testing.T) {
	for _, c := range []struct {
		dt   tensor.DType
		f    float64
		i    int64
		want string
	}{
		{tensor.Float32, 0.1, 0, "0x1.99999ap-04f"},
		{tensor.Float64, 0.1, 0, "0x1.999999999999ap-04"},
		{tensor.Float16, -3, 0, "-3.0f"},
		{tensor.Float32, math.Copysign(0, -1), 0, "-0.0f"},
		{tensor.Float32, math.NaN(), 0, "NAN"},
		{tensor.Float64, math.Inf(-1), 0, "-INFINITY"},
		{tensor.Float32, 1e300, 0, "INFINITY"},
		{tensor.Int64, 0, math.MinInt64, "(-0x7fffffffffffffffL - 1)"},
		{tensor.Int32, 0, math.MinInt32, "(-0x7fffffff - 1)"},
		{tensor.Uint64, 0, -1, "18446744073709551615UL"},
		{tensor.Int8, 0, 200, "(char)-56"},
		{tensor.Bool, 0, 1, "(uchar)1"},
	} {
		require.Equal(t, c.want, Literal(c.dt, c.f, c.i), c.dt)
	}
}

func TestADivisionByALiteralZeroIsAFactor(t *testing.T) {
	div := &engine.Scalar{Name: "div", Function: engine.FnDiv, OpenCL: "a / b"}
	over := func(dt tensor.DType, b float64) string {
		return apply(engine.Apply(div, dt, engine.Load(0, dt, engine.AxisIndex(0), nil), engine.Constant(dt, engine.Const{Float: b})),
			[]string{"v0", "v1"})
	}
	require.Equal(t, "(float)(v0 * (float)INFINITY)", over(tensor.Float32, 0))
	require.Equal(t, "(double)(v0 * -(double)INFINITY)", over(tensor.Float64, math.Copysign(0, -1)))
	require.Equal(t, "(float)(v0 / v1)", over(tensor.Float16, 2))
	require.Equal(t, "(int)(v0 / v1)", over(tensor.Int32, 0))
}
