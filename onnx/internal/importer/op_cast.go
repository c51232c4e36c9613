package importer

import (
	"math"

	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

var _ = define(func() []*operator {
	return []*operator{
		{name: "Cast", since: 1, narrow: true, build: func(c *call) []*value {
			if c.version < 6 {
				dt, err := tensor.ParseDType(lower(c.str("to", "")))
				c.check(err)
				return out(ops.Cast(c.x(0), dt))
			}
			return c.cast(model.DataType(c.int("to", 0)))
		}},
		{name: "CastLike", since: 15, narrow: true, build: func(c *call) []*value {
			like := c.x(1)
			if t := c.in[1].narrow; t != 0 {
				return c.cast(t)
			}
			return c.cast(model.TypeOf(like.DType()))
		}},
	}
})

// cast converts the first input.
func (c *call) cast(to model.DataType) []*value {
	x, saturate, mode := c.x(0), c.flag("saturate", true), c.str("round_mode", "up")
	if to == c.in[0].narrow && to != 0 {
		return []*value{{node: x, narrow: to}}
	}
	if !to.Narrow() {
		return out(ops.Cast(x, c.dtype(int(to))))
	}
	if format, ok := to.Float(); ok {
		w := ops.Cast(x, tensor.Float32)
		if format.Fraction == 0 { // powers of 2
			return []*value{{node: c.powers(w, mode, saturate), narrow: to}}
		}
		return []*value{{node: rounded(w, format, saturate, true), narrow: to}}
	}
	y := ops.Cast(x, tensor.Int32) // toward zero
	lo, hi := limits(to)
	span := int64(hi - lo + 1)
	y = ops.Add(ops.Mod(ops.Sub(y, int64(lo)), span), int64(lo)) // the low bits
	return []*value{{node: ops.Cast(y, to.DType()), narrow: to}}
}

// limits are the bounds of a narrow integer.
func limits(t model.DataType) (lo, hi float64) {
	n := math.Ldexp(1, t.Bits())
	if t.Unsigned() {
		return 0, n - 1
	}
	return -n / 2, n/2 - 1
}

// rounded is the float32 x rounded to a narrow format, to nearest, ties to even. A number beyond its range is its bound where it
// saturates, else infinite, or NaN where the format has no infinity.
func rounded(x *ops.Node, f model.Float, saturate, infinite bool) *ops.Node {
	num := func(v float64) *ops.Node { return ops.ScalarLike(x, v) }
	finite := ops.Where(ops.IsFinite(x), x, ops.ZerosLike(x))
	_, exponent := ops.Frexp(finite)
	exponent = ops.Cast(exponent, tensor.Float32)
	unit := ops.Sub(ops.Maximum(exponent, num(float64(2-f.Bias))), num(float64(1+f.Fraction))) // exponent of the last bit
	y := ops.Mul(ops.Round(ops.Mul(finite, ops.Exp2(ops.Neg(unit)))), ops.Exp2(unit))
	over := ops.Greater(ops.Abs(y), num(f.Max))
	over = ops.LogicalOr(over, ops.IsInf(x))
	beyond := num(f.Max)
	if !saturate && f.NaN {
		if beyond = num(math.NaN()); f.Inf {
			beyond = num(math.Inf(1))
		}
	}
	y = ops.Where(over, ops.Mul(ops.Sign(x), beyond), y)
	nan := num(math.NaN())
	if !f.NaN { // as ml_dtypes has it, of which the reference implementation is made
		nan = num(math.Copysign(0, -1))
	}
	return ops.Where(ops.IsNaN(x), nan, y)
}

// powers is x rounded to a power of 2, as the scales of microscaling formats are.
func (c *call) powers(x *ops.Node, mode string, saturate bool) *ops.Node {
	num := func(v float64) *ops.Node { return ops.ScalarLike(x, v) }
	usable := ops.LogicalAnd(ops.IsFinite(x), ops.Greater(x, 0))
	mantissa, exponent := ops.Frexp(ops.Where(usable, x, ops.OnesLike(x)))
	e := ops.Sub(ops.Cast(exponent, tensor.Float32), num(1))
	switch mode {
	case "up":
		e = ops.Where(ops.Greater(mantissa, 0.5), ops.Add(e, num(1)), e)
	case "nearest":
		e = ops.Where(ops.GreaterEqual(mantissa, 0.75), ops.Add(e, num(1)), e)
	case "down":
	default:
		c.refuse("round_mode %q is not known", mode)
	}
	y := ops.Exp2(ops.Minimum(ops.Maximum(e, num(-127)), num(127)))
	over := ops.LogicalOr(ops.Greater(e, num(127)), ops.IsInf(x))
	if !saturate {
		y = ops.Where(over, num(math.NaN()), y)
	} else {
		y = ops.Where(over, num(math.Ldexp(1, 127)), y)
	}
	zero := ops.Where(ops.IsNaN(x), num(math.NaN()), num(math.Ldexp(1, -127)))
	return ops.Where(ops.LogicalOr(usable, ops.IsInf(x)), y, zero)
}
