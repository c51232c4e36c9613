package special_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// host is the Go function of an op, of one float64 for each operand.
func host(t *testing.T, op string, args ...float64) float64 {
	t.Helper()
	o, ok := ops.OpNamed(op)
	require.True(t, ok, op)
	var in []engine.Block
	var dts []tensor.DType
	for _, v := range args {
		in, dts = append(in, engine.Block{F64: []float64{v}}), append(dts, tensor.Float64)
	}
	dst := engine.Block{F64: make([]float64, 1)}
	o.Scalar.Host(tensor.Float64, dts, dst, in)
	return dst.F64[0]
}

// Next to the smallest numbers of float64 the functions of package math go wrong on some machines.
func TestHostFunctionsAreRightNextToZero(t *testing.T) {
	t.Parallel()
	for op, want := range map[string]float64{"special.lgamma": 744.4400719213812, "special.k0e": 744.5560034370397, "special.bessel_y0": -473.9990734230043} {
		require.InEpsilon(t, want, host(t, op, 5e-324), 2e-15, op)
	}
}

// Odd functions change the sign of numbers next to 0, for which their series has one term.
func TestOddHostFunctionsKeepSigns(t *testing.T) {
	t.Parallel()
	for _, op := range []string{
		"special.bessel_j1", "special.i1", "special.i1e", "erf", "erfinv", "sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "cbrt", "sign",
	} {
		for _, x := range []float64{1e-320, 1e-300, 1e-40, 1e-12, 1e-7, 0.01, 0.7} {
			y := host(t, op, x)
			require.Positive(t, y, "%s(%g)", op, x)
			require.Equal(t, -y, host(t, op, -x), "%s(%g)", op, -x)
		}
	}
}

// The order of a polynomial loses its fraction.
func TestOrdersOfPolynomialsAreCutTowardsZero(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]float64{{-0.5, 1}, {-1, 0}, {-1.5, 0}, {0.9, 1}, {1.9, 0.3}} {
		require.Equal(t, c[1], host(t, "special.chebyshev_t", 0.3, c[0]), "order %v", c[0])
	}
}
