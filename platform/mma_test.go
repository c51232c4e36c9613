package platform

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/kernels"
)

// The probe's kernel on units that are written out: its fragments are those that
// the host expects, and one wrong bit in them shows.
func TestProbeOfMatrixUnitsTellsRightFromWrong(t *testing.T) {
	o := fresh(t, nil, nil)
	common, _, sections := probeSections()
	body := sections["mma80"]
	written := include(`#include "contract/gpu_mma_emulated.cl"`)
	body = strings.ReplaceAll(body, include(`#include "contract/gpu_mma_ptx.cl"`), written)
	require.Equal(t, 2, strings.Count(body, written))
	prog, err := o.context.NewProgram("#define TRY_PTX\n#define WG 64\n" + kernels.Text("lib/prelude.cl") + common + body)
	require.NoError(t, err)
	defer prog.Close()
	require.NoError(t, prog.Build("-DT=float"))
	k, err := prog.Kernel("mma80")
	require.NoError(t, err)
	defer k.Close()
	io := make([]uint32, 256)
	copy(io, mmaMatrices())
	b, err := o.context.NewBuffer(cl.MemReadWrite, 1024, nil)
	require.NoError(t, err)
	defer b.Close()
	require.NoError(t, o.queue.Write(b, 0, cl.Bytes(io), nil))
	require.NoError(t, k.SetBuffer(0, b))
	require.NoError(t, k.SetLocal(1, 256))
	require.NoError(t, o.queue.Launch(k, cl.Range1(64, 64), nil))
	require.NoError(t, o.queue.Read(b, 0, cl.Bytes(io), nil))
	require.True(t, rightMMA(2)(io, 64, nil), "%v", func() (f []float32) {
		for _, u := range io {
			f = append(f, math.Float32frombits(u))
		}
		return f
	}())
	for range 64 {
		bad := append([]uint32(nil), io...)
		bad[rand.IntN(256)] ^= 1 << rand.IntN(32)
		require.False(t, rightMMA(2)(bad, 64, nil))
	}
	require.Len(t, mmaMatrices(), 192)
}
