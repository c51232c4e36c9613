package numerics_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func TestPartsComputeWhatTheNodeDoes(t *testing.T) {
	t.Parallel()
	g := ops.NewGraph("parts")
	x := g.Input("x", tensor.Float32, 2, 3)
	y := ops.LayerNorm(x, nil, nil, 1e-5)
	parts := y.Parts()
	require.Len(t, parts, 1)
	require.Equal(t, y.Shape(), parts[0].Shape())
	require.Same(t, parts[0], y.Parts()[0], "they are built once")
	require.Nil(t, x.Parts())
	require.Nil(t, ops.Exp(x).Parts())
	require.Contains(t, y.Caller(), "translate_test.go:")
	require.NoError(t, g.Err())
}

func TestWithMakesTheCallInAnotherGraph(t *testing.T) {
	t.Parallel()
	y := ops.Transpose(ops.NewGraph("one").Input("x", tensor.Float32, 2, 3), 1, 0)
	other := ops.NewGraph("two")
	z := y.With(other.Input("x", tensor.Int64, 5, 7))
	require.Equal(t, []int{7, 5}, z.Shape())
	require.Same(t, other, z.Graph())
}

func TestControlDescribesALoop(t *testing.T) {
	t.Parallel()
	g := ops.NewGraph("loop")
	x := g.Input("x", tensor.Float32, 4)
	around := g.Input("around", tensor.Float32)
	_, rows := ops.Scan([]*ops.Node{ops.Sum(x)}, []*ops.Node{x}, func(_ *ops.Node, s, row []*ops.Node) (next, y []*ops.Node) {
		return []*ops.Node{ops.Add(s[0], row[0])}, []*ops.Node{ops.Mul(row[0], around)}
	}, nil)
	owner := rows[0].Operands()[0]
	c, ok := owner.Control()
	require.True(t, ok)
	require.Equal(t, 4, c.Trips)
	require.Len(t, c.Regions, 1)
	require.Len(t, c.Regions[0].Rows, 1)
	require.Equal(t, c.Carried, len(c.Regions[0].Params))
	require.Contains(t, owner.Operands()[c.Carried:], around)
	_, ok = x.Control()
	require.False(t, ok)
}

func TestSizedPutsNumbersInPlaceOfOpenExtents(t *testing.T) {
	t.Parallel()
	g := ops.NewGraph("open")
	x := g.Input("x", tensor.Float32, ops.Dim("rows"), 3)
	w := g.Variable("w", tensor.Must(tensor.New(tensor.Float32, 3, 2)))
	y := ops.MatMul(x, w)
	nodes, err := g.Sized(ops.Sizes{"rows": 5}, y, x, w)
	require.NoError(t, err)
	require.Equal(t, []int{5, 2}, nodes[0].Shape())
	require.Equal(t, []int{5, 3}, nodes[1].Shape())
	require.True(t, ops.IsVariable(nodes[2]), "variables are the same")
	_, err = g.Sized(nil, y)
	require.ErrorContains(t, err, "rows has no size")
	closed := ops.NewGraph("closed")
	z := closed.Input("z", tensor.Float32, 2)
	same, err := closed.Sized(nil, z)
	require.NoError(t, err)
	require.Same(t, z, same[0])
	_, err = closed.Sized(ops.Sizes{"rows": 5}, z)
	require.ErrorContains(t, err, "no open sizes")
}
