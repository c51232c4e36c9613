package places_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/plan"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/inside"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// Rows that are copied and elements that are each looked for take very different times.
func TestCopiesOfRowsAreOfAKindOfTheirOwn(t *testing.T) {
	rt := opstest.CPUOnly(t)
	name := func(f func(x *Node) *Node, shape ...int) string {
		g := NewGraph("moved")
		exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{f(g.Input("x", tensor.Float32, shape...))}})
		require.NoError(t, err)
		require.Len(t, inside.Executor(exe).Program().Instructions, 1)
		return plan.PaceKey(inside.Machine(rt).Engines[0], inside.Executor(exe).Program().Instructions[0].Task).Name
	}
	perm := func(axes ...int) func(x *Node) *Node { return func(x *Node) *Node { return Transpose(x, axes...) } }
	require.Equal(t, "transpose", name(perm(1, 0), 30, 40))
	require.Equal(t, "transpose of rows", name(perm(1, 0, 2), 30, 40, 50))
	require.Equal(t, "transpose of rows", name(perm(1, 2, 0), 1, 73, 2576))
	require.Equal(t, "transpose of rows", name(perm(1, 0), 1, 1))
	require.Equal(t, "transpose", name(perm(2, 0, 1), 1, 30, 40))
	require.Equal(t, "exp", name(Exp, 30, 40))
}
