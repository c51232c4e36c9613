package platform

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/kernels"
)

// The probe's kernel on a sub-group that is written out: what it keeps is what the
// host expects, and one wrong bit of it shows.
func TestProbeOfLanesTellsRightFromWrong(t *testing.T) {
	o := fresh(t, nil, nil)
	common, _, sections := probeSections()
	written := include(`#include "contract/gpu_subgroup_emulated.cl"`)
	body := strings.ReplaceAll(sections["lanes"], include(`#include "contract/gpu_subgroup_intel.cl"`), written)
	require.Equal(t, 1, strings.Count(body, written))
	for _, lanes := range []string{"8", "16"} {
		prog, err := o.context.NewProgram("#define SHOWS 2\n#define ACC float\n#define TRY_LANES " + lanes + "\n" + kernels.Text("lib/prelude.cl") + common + body)
		require.NoError(t, err)
		defer prog.Close()
		require.NoError(t, prog.Build("-DT=float"))
		k, err := prog.Kernel("lanes")
		require.NoError(t, err)
		defer k.Close()
		io := make([]uint32, 4*probeItems)
		copy(io, lanesWords())
		b, err := o.context.NewBuffer(cl.MemReadWrite, int64(4*len(io)), nil)
		require.NoError(t, err)
		defer b.Close()
		n := map[string]int{"8": 8, "16": 16}[lanes]
		require.NoError(t, o.queue.Write(b, 0, cl.Bytes(io), nil))
		require.NoError(t, k.SetBuffer(0, b))
		require.NoError(t, k.SetLocal(1, 4*probeItems))
		require.NoError(t, o.queue.Launch(k, cl.Range1(n, n), nil))
		require.NoError(t, o.queue.Read(b, 0, cl.Bytes(io), nil))
		require.True(t, lanesAre(io, n, n), "%x", io)
		require.False(t, lanesAre(io, 24-n, n), "of another size")
		for bit := range 4 * n {
			bad := append([]uint32(nil), io...)
			bad[bit%4*probeItems+bit/4] ^= 1 << (bit % 32)
			require.False(t, lanesAre(bad, n, n))
		}
	}
	require.False(t, rightLanes(lanesWords(), probeItems-1, &Caps{}), "a group that is not whole")
}
