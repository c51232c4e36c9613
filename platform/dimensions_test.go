package platform

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
)

func TestSizesOutsideALaunchAreOne(t *testing.T) {
	const source = `kernel void sizes(global ulong *y, uint d) {
    y[0] = get_global_size(d); y[1] = get_local_size(d); y[2] = get_num_groups(d);
    uint e = d; y[3] = get_global_size(e++); y[4] = e - d; y[5] = get_global_size(0);
}`
	o := fresh(t, nil, nil)
	sizes := func() []uint64 {
		prog, err := o.Program(t.Context(), "sizes", source, "")
		require.NoError(t, err)
		k, err := prog.Kernel("sizes")
		require.NoError(t, err)
		mem, err := o.Alloc(6 * 8)
		require.NoError(t, err)
		y := make([]uint64, 6)
		require.NoError(t, k.SetBuffer(0, mem.Buffer()))
		require.NoError(t, k.SetUint32(1, 3))
		require.NoError(t, o.Queue().Launch(k, cl.Range2([2]int{8, 2}, [2]int{4, 2}), nil))
		require.NoError(t, o.Read(t.Context(), cl.Bytes(y), mem, 0))
		require.NoError(t, k.Close())
		require.NoError(t, mem.Close())
		return y
	}
	require.Equal(t, []uint64{1, 1, 1, 1, 1, 8}, sizes())
	_, err := o.Program(t.Context(), "wrong", "kernel void k(global ulong *y) {\n    y[0] = get_global_size(7) + mistaken;\n}", "")
	var build *cl.BuildError
	require.ErrorAs(t, err, &build)
	require.Equal(t, 2, build.Line, "lines are counted without the prelude")
}
