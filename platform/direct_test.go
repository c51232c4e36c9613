package platform

import (
	"bytes"
	"context"
	"encoding/binary"
	"runtime"
	"testing"

	"github.com/anycl/anycl/cl"
	"github.com/stretchr/testify/require"
)

// A write that is a plain copy must not overtake the kernels before it, nor a
// read: in each round both meet a kernel that is still at work.
func TestDirectTransfersKeepTheirPlaceInTheQueue(t *testing.T) {
	o := fresh(t, nil, nil)
	if !o.Caps().Direct {
		t.Skip("needs a device whose memory the host can touch")
	}
	const src = `kernel void slow(global const uint *in, global uint *out, uint rounds) {
    uint v = in[0];
    for (uint i = 0; i < rounds; i++) v = v * 1664525u + 1013904223u;
    out[0] = v;
}`
	prog, err := o.Program(t.Context(), "slow.cl", src, "")
	require.NoError(t, err)
	k, err := prog.Kernel("slow")
	require.NoError(t, err)
	in, err := o.Alloc(4)
	require.NoError(t, err)
	outs := [2]*Memory{}
	for i := range outs {
		outs[i], err = o.Alloc(4)
		require.NoError(t, err)
	}
	const rounds = 300_000
	want := func(v uint32) uint32 {
		for range rounds {
			v = v*1664525 + 1013904223
		}
		return v
	}
	var word [4]byte
	require.NoError(t, k.SetUint32(2, rounds))
	require.NoError(t, k.SetBuffer(0, in.Buffer()))
	for round := range uint32(10) {
		for i, out := range outs {
			binary.NativeEndian.PutUint32(word[:], round*2+uint32(i))
			require.NoError(t, o.Write(context.Background(), in, 0, word[:]))
			require.NoError(t, k.SetBuffer(1, out.Buffer()))
			require.NoError(t, o.Queue().Launch(k, cl.Range1(1, 1), nil))
		}
		for i, out := range outs {
			require.NoError(t, o.Read(t.Context(), word[:], out, 0))
			require.Equal(t, want(round*2+uint32(i)), binary.NativeEndian.Uint32(word[:]), "round %d, %d", round, i)
		}
	}
	require.NoError(t, k.Close())
	for _, m := range append(outs[:], in) {
		require.NoError(t, m.Close())
	}
}

func BenchmarkDirectAgainstCommands(b *testing.B) {
	for name, open := range map[string]func(testing.TB) *Opened{
		"as the device does it": func(t testing.TB) *Opened { return fresh(t, nil, nil) }, "by commands": withCommands,
		"through staging": withStaging,
	} {
		b.Run(name, func(b *testing.B) {
			o := open(b)
			m, err := o.Alloc(64)
			require.NoError(b, err)
			host := make([]byte, 64)
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, o.Write(context.Background(), m, 0, host))
				require.NoError(b, o.Read(context.Background(), host, m, 0))
			}
		})
	}
}

func TestBorrowedMemoryIsTheHostsOwn(t *testing.T) {
	o := openedWith(t, &Options{CacheDir: t.TempDir()})
	host := make([]byte, 4096)
	for i := range host {
		host[i] = byte(i)
	}
	var pin runtime.Pinner
	pin.Pin(&host[0])
	defer pin.Unpin()
	b, err := o.Borrow(host)
	if !o.Borrows() {
		require.Error(t, err)
		return
	}
	require.NoError(t, err)
	back := make([]byte, len(host))
	require.NoError(t, o.Queue().Read(b, 0, back, nil))
	require.Equal(t, host, back)
	require.NoError(t, o.Queue().Fill(b, []byte{7}, 0, 64, nil))
	require.NoError(t, o.Queue().Finish())
	require.Equal(t, byte(7), host[63], "a command writes where the host reads")
	require.Equal(t, byte(64), host[64])
	require.NoError(t, b.Close())
	_, err = o.Borrow(nil)
	require.Error(t, err)
}

func TestWhatWasMeasuredIsKeptByKindAndVersion(t *testing.T) {
	o := openedWith(t, &Options{CacheDir: t.TempDir()})
	var got []int
	require.False(t, o.LoadMeasured("speeds", 1, &got))
	require.NoError(t, o.SaveMeasured("speeds", 1, []int{3, 4}))
	require.True(t, o.LoadMeasured("speeds", 1, &got))
	require.Equal(t, []int{3, 4}, got)
	require.False(t, o.LoadMeasured("speeds", 2, &got), "another version")
	require.False(t, o.LoadMeasured("others", 1, &got), "another kind")
}

// The host learns where memory is without a thread of the device, which would be woken several times for each.
func TestMemoryIsFoundByTheInlineDevice(t *testing.T) {
	o := openedWith(t, &Options{CacheDir: t.TempDir()})
	if o.InlineDevice() == nil || !o.caps.Direct {
		t.Skip("needs an inline device")
	}
	m, err := o.Alloc(3 << 20) // of a size that nothing else here has
	require.NoError(t, err)
	host := bytes.Repeat([]byte{1, 2, 3}, 1<<20)
	require.NoError(t, o.Write(t.Context(), m, 0, host))
	require.NotNil(t, o.viewer.q)
	require.True(t, o.viewer.q.Device().Same(o.device.inline.cl))
	back := make([]byte, len(host))
	require.NoError(t, o.Queue().Read(m.Buffer(), 0, back, nil))
	require.Equal(t, host, back, "and the device finds there what the host wrote")
	require.NoError(t, m.Close())
}
