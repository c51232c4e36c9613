// Package special is special functions in graphs, element by element: the gamma function and its relatives, Bessel and
// Airy functions, and orthogonal polynomials, as in scipy.special, jax.scipy.special and torch.special.
//
// They run on every engine. Those of two operands broadcast, and take a Go number for one of them. In the table of ops names
// begin with "special.". The error function and its relatives are in package ops, where activations need them.
package special

import (
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/ops"
)

var operandX = []ops.Operand{{Name: "x"}}

// scalarOf1 is a function of one float in OpenCL C and Go; flops is its cost.
func scalarOf1(c string, flops float64, f func(x float64) float64) *engine.Scalar {
	return &engine.Scalar{OpenCL: c, Flops: flops, Host: engine.HostOf1(f)}
}

// scalarOf2 is [scalarOf1] for two.
func scalarOf2(c string, flops float64, f func(a, b float64) float64) *engine.Scalar {
	return &engine.Scalar{OpenCL: c, Flops: flops, Host: engine.HostOf2(f)}
}

// scalarOf3 is [scalarOf1] for three.
func scalarOf3(c string, flops float64, f func(a, b, c float64) float64) *engine.Scalar {
	return &engine.Scalar{OpenCL: c, Flops: flops, Host: engine.HostOf3(f)}
}
