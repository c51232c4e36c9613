package gallery

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Names made by ## may be those of work-item functions, which a launch in parts would have to replace.
func TestAKernelThatIsNotDividedIsNamedOnce(t *testing.T) {
	p, out := program(t)
	p.Device = ""
	rt, err := p.Open(t.Context())
	require.NoError(t, err)
	defer rt.Close()
	if rt.Device() == nil || !strings.HasPrefix(rt.Device().ID, "pocl") {
		t.Skip("only launches on PoCL are divided")
	}
	for _, n := range []int{3, 4} {
		g := ops.NewGraph("numbers")
		y := ops.Kernel(g, ops.KernelOptions{
			Source: "#define ID(of) get_##of##_id(0)\nkernel void numbers(global int *y) { y[ID(global)] = ID(global); }", Entry: "numbers",
			Results: []ops.Result{{DType: tensor.Int32, Shape: []int{n}}},
		})[0]
		exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{y}})
		require.NoError(t, err)
		got, err := exe.Run(t.Context(), nil)
		require.NoError(t, err)
		require.EqualValues(t, n-1, got[0].Float64At(n-1))
	}
	require.Equal(t, 1, strings.Count(out.String(), "the kernel numbers is not divided among threads: line 1 names get_\n"), out)
}
