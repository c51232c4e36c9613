package graphs_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// All that no engine takes is told at once, with ops and lines, and so are mistakes of the graph and of its target.
func TestEverythingThatIsRefusedIsTold(t *testing.T) {
	t.Parallel()
	g := NewGraph("refused")
	x := g.Input("x", tensor.Float32, 2, 3)
	own := func(name string) KernelOptions {
		return KernelOptions{Source: "s", Entry: name, Results: []Result{{DType: tensor.Float32, Shape: []int{2, 3}}}}
	}
	a := Kernel(g, own("one"), x)[0]
	b := Kernel(g, own("two"), x)[0]
	c := Put(Exp(x), Device(3))
	_, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{a, b, c}})
	all, ok := errors.AsType[*GraphError](err)
	require.True(t, ok, "%v", err)
	require.Len(t, all.Errs, 3, "%v", err)
	lines := map[string]bool{}
	for i, says := range []string{"one", "two", "exp"} {
		one, ok := errors.AsType[*OpError](all.Errs[i])
		require.True(t, ok)
		require.Equal(t, says, one.Op)
		require.Contains(t, one.Caller, "graphs/refused_test.go:")
		require.Equal(t, []string{"float32[2 3]"}, one.Operands)
		lines[one.Caller] = true
	}
	require.Len(t, lines, 3, "%v", err)
	require.ErrorIs(t, err, engine.ErrUnsupported)
	require.ErrorContains(t, err, "of float32[2 3]: ")

	MatMul(x, x)
	Exp(Cast(x, tensor.Int8))
	_, err = g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{x, nil}, Updates: []*Node{x}, Volatile: []*Node{x}, Place: -1})
	all, ok = errors.AsType[*GraphError](err)
	require.True(t, ok, "%v", err)
	require.Len(t, all.Errs, 6, "%v", err)

	g = NewGraph("open")
	y := g.Input("y", tensor.Float32, DimUpTo("rows", 4))
	_, err = g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{Exp(y)}, Sizes: []Sizes{{"rows": 5}, {"rows": 3}, {"columns": 1}}})
	require.ErrorContains(t, err, "rows is 5")
	require.ErrorContains(t, err, "columns is no open extent")
}
