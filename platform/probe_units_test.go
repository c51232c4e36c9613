package platform

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/platform/internal/mmaprobe"
	"github.com/anycl/anycl/platform/internal/programtext"
	"github.com/stretchr/testify/require"
)

// The probe's kernel on units that are written out: its fragments are those that
// the host expects, and one wrong bit in them shows.
func TestProbeOfMatrixUnitsTellsRightFromWrong(t *testing.T) {
	o := fresh(t, nil, nil)
	common, _, sections := probeSections()
	body := sections["mma80"]
	written := programtext.Include(`#include "contract/gpu_mma_emulated.cl"`)
	body = strings.ReplaceAll(body, programtext.Include(`#include "contract/gpu_mma_ptx.cl"`), written)
	require.Equal(t, 2, strings.Count(body, written))
	prog, err := o.context.NewProgram("#define TRY_PTX\n#define WG 64\n" + kernels.Text("lib/prelude.cl") + common + body)
	require.NoError(t, err)
	defer prog.Close()
	require.NoError(t, prog.Build("-DT=float"))
	k, err := prog.Kernel("mma80")
	require.NoError(t, err)
	defer k.Close()
	io := make([]uint32, 256)
	copy(io, mmaprobe.Matrices())
	b, err := o.context.NewBuffer(cl.MemReadWrite, 1024, nil)
	require.NoError(t, err)
	defer b.Close()
	require.NoError(t, o.queue.Write(b, 0, cl.Bytes(io), nil))
	require.NoError(t, k.SetBuffer(0, b))
	require.NoError(t, k.SetLocal(1, 256))
	require.NoError(t, o.queue.Launch(k, cl.Range1(64, 64), nil))
	require.NoError(t, o.queue.Read(b, 0, cl.Bytes(io), nil))
	require.True(t, mmaprobe.Right(io, 2), "%v", func() (f []float32) {
		for _, u := range io {
			f = append(f, math.Float32frombits(u))
		}
		return f
	}())
	for range 64 {
		bad := append([]uint32(nil), io...)
		bad[rand.IntN(256)] ^= 1 << rand.IntN(32)
		require.False(t, mmaprobe.Right(bad, 2))
	}
	require.Len(t, mmaprobe.Matrices(), 192)
}

// The probe's kernel on a sub-group that is written out: its output is the one that the host
// expects, and one wrong bit of it shows.
func TestProbeOfLanesTellsRightFromWrong(t *testing.T) {
	o := fresh(t, nil, nil)
	common, _, sections := probeSections()
	written := programtext.Include(`#include "contract/gpu_subgroup_emulated.cl"`)
	body := strings.ReplaceAll(sections["lanes"], programtext.Include(`#include "contract/gpu_subgroup_intel.cl"`), written)
	require.Equal(t, 1, strings.Count(body, written))
	for _, lanes := range []string{"8", "16"} {
		prog, err := o.context.NewProgram("#define SHOWS 2\n#define ACC float\n#define TRY_LANES " + lanes + "\n" +
			kernels.Text("lib/prelude.cl") + common + body)
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

func TestKernelsHaveLanesOnCPUsAlone(t *testing.T) {
	var none *Device
	require.Equal(t, 1, none.Lanes())
	for width, lanes := range map[int]int{1: 4, 4: 4, 8: 8, 12: 8, 16: 16, 32: 16} {
		require.Equal(t, lanes, (&Device{Class: CPU, VectorWidth: width}).Lanes())
		require.Equal(t, 1, (&Device{Class: GPU, VectorWidth: width}).Lanes())
	}
}

// The probe of warpgroups on instructions that are written out: every form finds the elements
// where it has put them, and one wrong bit in the results shows.
func TestProbeOfWarpgroupsTellsRightFromWrong(t *testing.T) {
	t.Parallel()
	o := fresh(t, nil, nil)
	source := strings.ReplaceAll(strings.ReplaceAll(warpgroupsSource, "gpu_mma_ptx", "gpu_mma_emulated"), "gpu_wgmma_ptx",
		"gpu_wgmma_emulated")
	for _, f := range warpgroupsForms {
		prog, err := o.context.NewProgram("#define WG 128\n" + kernels.Text("lib/prelude.cl") + programtext.Include(source))
		require.NoError(t, err)
		defer prog.Close()
		require.NoError(t, prog.Build(f.options()))
		k, err := prog.Kernel("warpgroups")
		require.NoError(t, err)
		defer k.Close()
		in, out := warpgroupsMatrices(f.columns, f.depth), make([]float32, 64*f.columns)
		a, err := o.context.NewBuffer(cl.MemReadWrite, int64(2*len(in)), nil)
		require.NoError(t, err)
		defer a.Close()
		require.NoError(t, o.queue.Write(a, 0, cl.Bytes(in), nil))
		b, err := o.context.NewBuffer(cl.MemReadWrite, int64(4*len(out)), nil)
		require.NoError(t, err)
		defer b.Close()
		require.NoError(t, k.SetBuffer(0, a))
		require.NoError(t, k.SetBuffer(1, b))
		require.NoError(t, o.queue.Launch(k, cl.Range1(128, 128), nil))
		require.NoError(t, o.queue.Read(b, 0, cl.Bytes(out), nil))
		require.True(t, rightWarpgroups(out, f.columns, f.depth), "%+v", f)
		bytes := cl.Bytes(out)
		for i := 0; i < len(bytes); i += 1021 {
			word := binary.NativeEndian.Uint32(bytes[i&^3:])
			bytes[i] ^= 1 << (i % 8)
			require.False(t, rightWarpgroups(out, f.columns, f.depth))
			binary.NativeEndian.PutUint32(bytes[i&^3:], word)
		}
	}
}
