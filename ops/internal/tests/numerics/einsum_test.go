package numerics_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func TestMistakesInSumsOfProductsAreErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want string
		call func(g *ops.Graph, x *ops.Node) *ops.Node // x is [2 3]
	}{
		{"not for 2 axes", func(g *ops.Graph, x *ops.Node) *ops.Node { return ops.Einsum("ijk->i", x) }},
		{"not a letter", func(g *ops.Graph, x *ops.Node) *ops.Node { return ops.Einsum("i1->i", x) }},
		{"no operand has", func(g *ops.Graph, x *ops.Node) *ops.Node { return ops.Einsum("ij->k", x) }},
		{"elements along", func(g *ops.Graph, x *ops.Node) *ops.Node { return ops.Einsum("ij,ik->i", x, ops.Transpose(x)) }},
		{"two extents", func(g *ops.Graph, x *ops.Node) *ops.Node { return ops.Einsum("ii->i", x) }},
		{"has i twice", func(g *ops.Graph, x *ops.Node) *ops.Node { return ops.Einsum("ij->ii", x) }},
		{"for 1 operands", func(g *ops.Graph, x *ops.Node) *ops.Node { return ops.Einsum("ij->i", x, x) }},
		{"named twice", func(g *ops.Graph, x *ops.Node) *ops.Node { return ops.TensorDot(x, x, []int{0, 0}, []int{0, 0}) }},
	} {
		g := ops.NewGraph(c.want)
		c.call(g, g.Input("x", tensor.Float64, 2, 3))
		require.ErrorContains(t, g.Err(), c.want)
	}
}
