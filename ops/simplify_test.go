package ops

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/tensor"
)

// Ops that change no bit of any element are left out, and ops that would change one are not.
func TestWhatOnlyRepeatsItsOperandIsLeftOut(t *testing.T) {
	t.Parallel()
	g := NewGraph("rules")
	x := g.Input("x", tensor.Float32, 3, 4)
	i := g.Input("i", tensor.Int32, 3, 4)
	zero, negative := ScalarLike(x, 0), ScalarLike(x, math.Copysign(0, -1))
	for name, c := range map[string]struct{ of, is *Node }{
		"twice negated":                 {Neg(Neg(x)), x},
		"plus -0":                       {Add(x, negative), x},
		"-0 plus":                       {Add(negative, x), x},
		"minus 0":                       {Sub(x, zero), x},
		"times 1":                       {Mul(x, ScalarLike(x, 1)), x},
		"1 times":                       {Mul(ScalarLike(x, 1), x), x},
		"by 1":                          {Div(x, ScalarLike(x, 1)), x},
		"an integer plus 0":             {Add(i, ScalarLike(i, 0)), i},
		"plus -0 of the whole shape":    {Add(x, BroadcastTo(negative, 3, 4)), x},
		"the dtype that it has":         {apply("cast", castAttr{tensor.Float32}, x), x},
		"axes in their order":           {Transpose(x, 0, 1), x},
		"without a gradient":            {StopGradient(x), x},
		"many at once":                  {Neg(Neg(Mul(Add(x, negative), ScalarLike(x, 1)))), x},
		"a comparison of the same":      {Equal(x, StopGradient(x)), Equal(x, x)},
		"plus 0, which makes 0 of -0":   {Add(x, zero), Add(x, zero)},
		"minus -0, which makes 0 of -0": {Sub(x, negative), Sub(x, negative)},
	} {
		s := newSimplifier(nil)
		require.NoError(t, g.Err(), name)
		require.Same(t, s.simplify(c.is), s.simplify(c.of), name)
	}
	s := newSimplifier(nil)
	for name, n := range map[string]*Node{
		"plus 0": Add(x, zero), "minus -0": Sub(x, negative), "0 minus": Sub(zero, x), "1 by": Div(ScalarLike(x, 1), x), "once negated": Neg(x),
		"stretched by -0": Add(g.Input("row", tensor.Float32, 4), BroadcastTo(negative, 3, 4)),
	} {
		for _, operand := range s.simplify(n).In {
			require.NotSame(t, operand, s.simplify(n), name)
		}
		require.Equal(t, n.op.lower(), s.simplify(n).Op, name)
	}
}

func TestBatchNormTrainComputesItsStatisticsOnce(t *testing.T) {
	t.Parallel()
	g := NewGraph("g")
	x, c := g.Input("x", tensor.Float32, 8, 3, 5, 5), g.Input("c", tensor.Float32, 3)
	y, mean, variance := BatchNormTrain(x, c, c, 1e-5)
	s := newSimplifier(nil)
	for _, n := range []*Node{y, mean, variance} {
		s.simplify(n)
	}
	sums := 0
	for _, n := range s.known {
		if n.Op.Name == "sum" {
			sums++
		}
	}
	require.Equal(t, 2, sums)
}

func TestGraphsThatAreBuiltAlikeHaveOneMark(t *testing.T) {
	t.Parallel()
	mark := func(build func(x *Node) *Node, shape ...int) string {
		g := NewGraph("mark")
		build(g.Input("x", tensor.Float32, shape...))
		return g.mark()
	}
	twice := func(x *Node) *Node { return Add(x, x) }
	same := mark(twice, 2, 3)
	require.Equal(t, same, mark(twice, 2, 3))
	for name, other := range map[string]string{
		"shape":    mark(twice, 3, 2),
		"op":       mark(func(x *Node) *Node { return Mul(x, x) }, 2, 3),
		"operands": mark(func(x *Node) *Node { return Neg(Add(x, x)) }, 2, 3),
	} {
		require.NotEqual(t, same, other, name)
	}
}
