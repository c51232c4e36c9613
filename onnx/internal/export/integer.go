package export

import (
	"math"
	mathbits "math/bits"

	"github.com/anycl/anycl/tensor"
)

var (
	_ = define("gcd", func(c *call) []string { return []string{c.cast(c.divisor(false), c.dtype())} })
	_ = define("lcm", func(c *call) []string { return []string{c.cast(c.divisor(true), c.dtype())} })
	_ = define("popcount", func(c *call) []string {
		ones := c.byBytes(func(b int) int { return mathbits.OnesCount8(uint8(b)) })
		sum := ones[0].count
		for _, o := range ones[1:] {
			sum = c.op("Add", []string{sum, o.count})
		}
		return []string{c.cast(sum, c.dtype())}
	})
	_ = define("count_leading_zeros", func(c *call) []string {
		zeros := c.byBytes(func(b int) int { return mathbits.LeadingZeros8(uint8(b)) })
		sum := zeros[0].count
		for _, z := range zeros[1:] {
			sum = c.choose(c.is("Equal", z.value, c.like(z.value, 0)), c.op("Add", []string{sum, c.like(sum, 8)}), z.count)
		}
		return []string{c.cast(sum, c.dtype())}
	})
	_ = define("exponent_of", wide(func(c *call) []string { return []string{c.cast(c.exponent(c.arg(0)), tensor.Int32)} }))
	_ = define("nextafter", func(c *call) []string { return []string{c.nextAfter()} })
)

// divisor is the greatest common divisor by Euclid, or the least common multiple; narrow integers are computed in int64.
func (c *call) divisor(multiple bool) string {
	dt := c.dtype()
	if dt.Size() < 8 {
		dt = tensor.Int64
	}
	var in [2]string
	for i := range in {
		v := c.cast(c.arg(i), dt)
		if dt.IsSigned() {
			v = c.op("Abs", []string{v})
		}
		in[i] = c.expand(v, c.shape(i), c.n.Shape())
	}
	some := func(v string) string { return c.op("Not", []string{c.is("Equal", v, c.like(v, 0))}) }
	kept := func(v string) string { return c.choose(some(v), v, c.like(v, 1)) } // where nothing may be divided
	g := c.repeat([]string{some(in[1]), in[0], in[1]}, c.n.Shape(), func(s []string) []string {
		r := c.op("Mod", []string{s[1], kept(s[2])})
		if dt.IsSigned() { // a remainder has the sign of the smallest integer, which has no absolute value
			r = c.op("Abs", []string{r})
		}
		a, b := c.choose(s[0], s[2], s[1]), c.choose(s[0], r, s[2])
		return []string{some(b), a, b}
	})[1]
	if !multiple {
		return g
	}
	y := c.op("Mul", []string{c.op("Div", []string{in[0], kept(g)}), in[1]})
	if dt.IsSigned() { // as bits are multiplied that have no sign
		y = c.choose(c.is("Less", in[0], c.like(y, 0)), c.op("Neg", []string{y}), y)
	}
	return y
}

// byte8 is a byte of an integer, and its entry in a table, as int64.
type byte8 struct{ value, count string }

// byBytes looks up the bytes of integers in a table, the lowest first.
func (c *call) byBytes(f func(b int) int) (all []byte8) {
	x, own := c.arg(0), c.dtype()
	if own.IsSigned() {
		x = c.cast(x, unsignedOf[own])
	}
	if own.Size() == 2 { // which is not shifted everywhere
		x = c.cast(x, tensor.Uint32)
	}
	table := make([]float64, 256)
	for b := range table {
		table[b] = float64(f(b))
	}
	counts := c.tensor(tensor.Int64, []int{256}, table)
	for k := range own.Size() {
		b := x
		if k > 0 {
			b = c.op("BitShift", []string{x, c.like(x, float64(8*k))}, text("direction", "RIGHT"))
		}
		b = c.cast(c.op("BitwiseAnd", []string{b, c.like(x, 255)}), tensor.Int64)
		all = append(all, byte8{b, c.op("Gather", []string{counts, b})})
	}
	return all
}

// exponent is e of x = m·2^e with 1/2 <= |m| < 1, as a float; 0 where x is 0 or no number.
func (c *call) exponent(x string) string {
	up, small := 60.0, 0x1p-100
	if c.x.types[x] == tensor.Float64 {
		small = 0x1p-960
	}
	a := c.op("Abs", []string{x})
	none := c.op("Or", []string{c.is("Equal", a, c.like(a, 0)), c.is("Equal", c.op("Sub", []string{a, a}), c.like(a, 0))})
	none = c.op("Or", []string{c.is("Equal", a, c.like(a, 0)), c.op("Not", []string{none})}) // 0, or what less itself is not 0
	a = c.choose(none, c.like(a, 1), a)
	low := c.is("Less", a, c.like(a, small)) // which may have no logarithm
	a = c.choose(low, c.scaled(a, math.Exp2(up)), a)
	e := c.op("Add", []string{c.op("Floor", []string{c.scaled(c.op("Log", []string{a}), math.Log2E)}), c.like(a, 1)})
	m := c.op("Mul", []string{a, c.op("Pow", []string{c.like(a, 2), c.op("Neg", []string{e})})})
	e = c.op("Add", []string{e, c.cast(c.is("GreaterOrEqual", m, c.like(m, 1)), c.x.types[a])})
	e = c.op("Sub", []string{e, c.cast(c.is("Less", m, c.like(m, 0.5)), c.x.types[a])})
	e = c.choose(low, c.op("Sub", []string{e, c.like(e, up)}), e)
	return c.choose(none, c.like(e, 0), e)
}

// nextAfter goes a unit in the last place up or down, which is half as large below a power of two.
func (c *call) nextAfter() string {
	a := c.expand(c.arg(0), c.shape(0), c.n.Shape())
	b := c.expand(c.arg(1), c.shape(1), c.n.Shape())
	digits, least, most := 24.0, -125.0, float64(math.MaxFloat32)
	if c.dtype() == tensor.Float64 {
		digits, least, most = 53, -1021, math.MaxFloat64
	}
	zero := c.like(a, 0)
	e := c.exponent(a)
	size := c.op("Abs", []string{a})
	inward := c.op("Xor", []string{c.is("Less", b, a), c.is("Less", a, zero)})
	half := c.op("Pow", []string{c.like(a, 2), c.op("Sub", []string{c.op("Max", []string{e, c.like(e, least)}), c.like(e, 1)})})
	below := c.op("And", []string{inward, c.is("Equal", size, half)})
	below = c.op("And", []string{below, c.is("Greater", e, c.like(e, least))})
	e = c.op("Sub", []string{c.op("Max", []string{e, c.like(e, least)}), c.like(e, digits)})
	e = c.op("Sub", []string{e, c.cast(below, c.x.types[a])})
	unit := c.op("Pow", []string{c.like(a, 2), e})
	unit = c.choose(c.is("Less", b, a), c.op("Neg", []string{unit}), unit)
	y := c.op("Add", []string{a, unit})
	far := c.is("Equal", size, c.like(size, posInf))
	y = c.choose(far, c.op("Mul", []string{c.op("Sign", []string{a}), c.like(a, most)}), y)
	y = c.choose(c.is("Equal", a, b), b, y)
	lost := c.op("Or", []string{c.op("IsNaN", []string{a}), c.op("IsNaN", []string{b})})
	return c.choose(lost, c.op("Add", []string{a, b}), y)
}
