package export

import (
	"math"
	"slices"

	"github.com/anycl/anycl/tensor"
)

// reduced writes a reduction.
func reduced(operator string) rule {
	return func(c *call) []string {
		axes := c.ints("axes")
		if len(axes) == 0 {
			return same(c)
		}
		for _, a := range axes {
			if c.shape(0)[a] == 0 && (operator == "ReduceMax" || operator == "ReduceMin" || operator == "ReduceMean") {
				return c.ofNothing(operator)
			}
		}
		return c.do(operator, []string{c.arg(0), c.list(axes...)}, anInt("keepdims", 0))
	}
}

// ofNothing is the result of a reduction of no elements, which is known.
func (c *call) ofNothing(operator string) []string {
	v := ""
	if operator == "ReduceMean" {
		v = c.number(math.NaN(), c.dtype())
	} else {
		v = c.extreme(c.dtype(), operator == "ReduceMin")
	}
	return []string{c.expand(v, []int{}, c.n.Shape())}
}

// position writes the position of an extreme: of the first, in the order of all axes that are reduced.
func position(operator string) rule {
	return func(c *call) []string {
		axes, rank := c.ints("axes"), c.in[0].Rank()
		x := c.arg(0)
		at := 0
		switch {
		case len(axes) == 0:
			return nil
		case len(axes) == 1:
			at = axes[0]
		default: // side by side, as one axis
			var perm, shape []int
			for i := range rank {
				if !slices.Contains(axes, i) {
					perm, shape = append(perm, i), append(shape, c.shape(0)[i])
				}
			}
			at = len(shape)
			x = c.reshape(c.transpose(x, append(perm, axes...)), append(shape, -1)...)
		}
		return c.do(operator, []string{x}, anInt("axis", at), anInt("keepdims", 0))
	}
}

var (
	_ = define("sum", reduced("ReduceSum"))
	_ = define("prod", reduced("ReduceProd"))
	_ = define("max", reduced("ReduceMax"))
	_ = define("min", reduced("ReduceMin"))
	_ = define("mean", func(c *call) []string {
		if axes := c.ints("axes"); len(axes) > 0 && len(axes) == c.in[0].Rank()-2 && axes[0] == 2 && c.in[0].Size() > 0 { // as networks end
			return []string{c.reshape(c.do("GlobalAveragePool", c.args())[0], c.n.Shape()...)}
		}
		return reduced("ReduceMean")(c)
	})
	_ = define("argmax", position("ArgMax"))
	_ = define("argmin", position("ArgMin"))
	_ = define("cumsum", func(c *call) []string {
		if c.in[0].Rank() == 0 {
			return nil
		}
		return c.do("CumSum", []string{c.arg(0), c.number(float64(c.int("axis")), tensor.Int64)}, flag("exclusive", c.bool("exclusive")),
			flag("reverse", c.bool("reverse")))
	})
	_ = define("cumprod", running(func(c *call) string { return c.number(1, c.dtype()) },
		func(c *call, a, b string) string { return c.op("Mul", []string{a, b}) }))
	_ = define("cummax", extremes("Max", false))
	_ = define("cummin", extremes("Min", true))
	_ = define("logcumsumexp", running(func(c *call) string { return c.number(negInf, c.dtype()) },
		func(c *call, a, b string) string { return c.logAddExp(a, b, 1) }))
	_ = define("top_k", ranked)
	_ = define("sort", ranked)
)

// ranked writes an order by TopK, of which equal elements are in the order of their positions.
func ranked(c *call) []string {
	n := c.in[0].Dim(-1)
	keep := c.int("keep")
	if keep < 0 {
		keep = n
	}
	x := c.arg(0)
	found := c.ops(2, "TopK", []string{x, c.list(keep)}, anInt("axis", -1), flag("largest", c.bool("descending")), anInt("sorted", 1))
	if c.bool("by_position") {
		at := c.ops(2, "TopK", []string{found[1], c.list(keep)}, anInt("axis", -1), anInt("largest", 0), anInt("sorted", 1))[0]
		return []string{c.op("GatherElements", []string{x, at}, anInt("axis", -1)), at}
	}
	return found
}

// extremes writes running extremes with their positions: the last, in the order of the scan, at which the element equals the extreme.
func extremes(operator string, above bool) rule {
	return func(c *call) []string {
		s, ok := c.shifter()
		if !ok {
			return nil
		}
		x, fill, back, n := c.arg(0), c.extreme(c.dtype(), above), c.bool("reverse"), s.shape[s.axis]
		scan := func(v, fill, operator string) string {
			for k := 1; k < n; k *= 2 {
				v = c.op(operator, []string{v, s.later(v, k, fill)})
			}
			return v
		}
		most := scan(x, fill, operator)
		there := c.is("Equal", x, most)
		if c.dtype().IsFloat() {
			there = c.op("Or", []string{there, c.op("IsNaN", []string{x})})
		}
		at, one := make([]float64, n), slices.Repeat([]int{1}, len(s.shape))
		for i := range at {
			at[i] = float64(i)
		}
		one[s.axis] = n
		none, newest := c.number(-1, tensor.Int64), "Max"
		if back {
			none, newest = c.number(float64(n), tensor.Int64), "Min"
		}
		places := scan(c.choose(there, c.tensor(tensor.Int64, one, at), none), none, newest)
		if c.bool("exclusive") {
			most, places = s.later(most, 1, fill), s.later(places, 1, none)
		}
		if back {
			places = c.choose(c.is("Equal", places, none), c.number(-1, tensor.Int64), places)
		}
		return []string{most, places}
	}
}
