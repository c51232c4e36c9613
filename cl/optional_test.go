package cl_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
)

func (r *rig) needImages(t testing.TB) {
	t.Helper()
	if !r.dev.Info().ImageSupport {
		t.Skip("the device has no images")
	}
}

func (r *rig) image(t testing.TB, d cl.ImageDesc) *cl.Image {
	t.Helper()
	d.Format = cl.ImageFormat{Order: cl.OrderRGBA, Type: cl.ChannelUint8}
	m, err := r.ctx.NewImage(cl.MemReadWrite, d, nil)
	require.NoError(t, err)
	closing(t, m)
	require.Equal(t, 4, m.PixelSize())
	return m
}

func TestImagesHoldWhatWasWritten(t *testing.T) {
	r := newRig(t, nil)
	r.needImages(t)
	for name, c := range map[string]struct {
		desc cl.ImageDesc
		box  cl.Box
	}{
		"1D": {cl.ImageDesc{Kind: cl.Image1D, Width: 16}, cl.Box{Region: [3]int{16, 1, 1}}},
		"2D": {cl.ImageDesc{Kind: cl.Image2D, Width: 8, Height: 5}, cl.Box{Region: [3]int{8, 5, 1}}},
		"3D": {cl.ImageDesc{Kind: cl.Image3D, Width: 4, Height: 3, Depth: 2}, cl.Box{Region: [3]int{4, 3, 2}}},
	} {
		t.Run(name, func(t *testing.T) {
			m, other := r.image(t, c.desc), r.image(t, c.desc)
			n := c.box.Region[0] * c.box.Region[1] * c.box.Region[2] * 4
			in, out := count(n), make([]byte, n)
			require.NoError(t, r.q.WriteImage(m, c.box, cl.HostLayout{}, in, nil))
			require.NoError(t, r.q.ReadImage(m, c.box, cl.HostLayout{}, out, nil))
			require.Equal(t, in, out)

			require.NoError(t, r.q.CopyImage(m, other, c.box, [3]int{}, nil))
			b := r.buffer(t, int64(n+4))
			require.NoError(t, r.q.CopyImageToBuffer(other, b, c.box, 4, nil))
			require.Equal(t, in, r.content(t, b)[4:])

			require.NoError(t, r.q.Write(b, 0, bytes.Repeat([]byte{9}, n), nil))
			require.NoError(t, r.q.CopyBufferToImage(b, m, 0, c.box, nil))
			mapped, err := r.q.MapImage(m, cl.MapRead, c.box, nil)
			require.NoError(t, err)
			row, _ := mapped.Pitches()
			require.GreaterOrEqual(t, row, c.box.Region[0]*4)
			require.Equal(t, bytes.Repeat([]byte{9}, c.box.Region[0]*4), mapped.Bytes()[:c.box.Region[0]*4])
			require.NoError(t, mapped.Close())

			require.Error(t, r.q.ReadImage(m, c.box, cl.HostLayout{}, out[1:], nil), "host memory too short")
			require.NoError(t, r.q.ReadImage(m, cl.Box{}, cl.HostLayout{}, nil, nil), "no pixels")
		})
	}
}

func TestImagePartsAndPitches(t *testing.T) {
	r := newRig(t, nil)
	r.needImages(t)
	m := r.image(t, cl.ImageDesc{Kind: cl.Image2D, Width: 4, Height: 4})
	var zero [16]byte
	require.NoError(t, r.q.FillImage(m, zero, cl.Box{Region: [3]int{4, 4, 1}}, nil))
	in := count(64)
	part := cl.Box{Origin: [3]int{1, 2, 0}, Region: [3]int{2, 2, 1}}
	require.NoError(t, r.q.WriteImage(m, part, cl.HostLayout{RowPitch: 32}, in, nil))
	want := make([]byte, 64)
	copy(want[2*16+4:], in[:8])
	copy(want[3*16+4:], in[32:40])
	got := make([]byte, 64)
	require.NoError(t, r.q.ReadImage(m, cl.Box{Region: [3]int{4, 4, 1}}, cl.HostLayout{}, got, nil))
	require.Equal(t, want, got)
}

func TestKernelReadsAnImageThroughASampler(t *testing.T) {
	r := newRig(t, nil)
	r.needImages(t)
	m := r.image(t, cl.ImageDesc{Kind: cl.Image2D, Width: 2, Height: 2})
	require.NoError(t, r.q.WriteImage(m, cl.Box{Region: [3]int{2, 2, 1}}, cl.HostLayout{}, count(16), nil))
	s, err := r.ctx.NewSampler(cl.SamplerOptions{Addressing: cl.AddressClampToEdge})
	require.NoError(t, err)
	closing(t, s)
	k := r.kernel(t, `kernel void look(read_only image2d_t m, sampler_t s, global uint4 *out) {
		out[get_global_id(0)] = read_imageui(m, s, (int2)(get_global_id(0), 5)); }`, "look")
	out := r.buffer(t, 64)
	require.NoError(t, k.SetImage(0, m))
	require.NoError(t, k.SetSampler(1, s))
	require.NoError(t, k.SetBuffer(2, out))
	require.NoError(t, r.q.Launch(k, cl.Range1(4, 0), nil))
	got := make([]uint32, 16)
	require.NoError(t, r.q.Read(out, 0, cl.Bytes(got), nil))
	bottom := count(16)[8:]
	for i, x := range []int{0, 1, 1, 1} { // clamped to the edge
		for c := range 4 {
			require.EqualValues(t, bottom[4*x+c], got[4*i+c])
		}
	}
}

func TestImageMistakesAreErrors(t *testing.T) {
	r := newRig(t, nil)
	r.needImages(t)
	formats, err := r.ctx.ImageFormats(cl.MemReadWrite, cl.Image2D)
	require.NoError(t, err)
	require.Contains(t, formats, cl.ImageFormat{Order: cl.OrderRGBA, Type: cl.ChannelUint8})
	_, err = r.ctx.NewImage(cl.MemReadWrite, cl.ImageDesc{Kind: cl.Image2D, Width: -1, Height: 1}, nil)
	require.ErrorIs(t, err, cl.InvalidImageSize)
	_, err = r.ctx.NewImage(cl.MemReadWrite, cl.ImageDesc{Kind: cl.Image2D, Width: 1, Height: 1}, nil)
	require.Error(t, err, "no format")
	m := r.image(t, cl.ImageDesc{Kind: cl.Image2D, Width: 4, Height: 4})
	all := cl.Box{Region: [3]int{4, 4, 1}}
	require.Error(t, r.q.CopyImage(m, nil, all, [3]int{}, nil))
	require.Error(t, r.q.CopyImageToBuffer(m, r.buffer(t, 63), all, 0, nil))
	require.Error(t, r.q.WriteImage(nil, all, cl.HostLayout{}, nil, nil))
	require.Error(t, r.q.ReadImage(m, cl.Box{Origin: [3]int{-1}}, cl.HostLayout{}, nil, nil))
	_, err = r.q.MapImage(m, cl.MapRead, cl.Box{}, nil)
	require.ErrorIs(t, err, cl.InvalidValue)
}

func TestSVMIsSharedByHostAndKernel(t *testing.T) {
	r := newRig(t, nil)
	s, err := r.ctx.NewSVM(cl.MemReadWrite, 64, 0)
	if r.dev.Info().SVM == 0 {
		require.ErrorIs(t, err, cl.ErrUnsupported)
		t.Skip("the device has no SVM")
	}
	require.NoError(t, err)
	closing(t, s)
	other, err := r.ctx.NewSVM(cl.MemReadWrite, 64, 64)
	require.NoError(t, err)
	closing(t, other)
	require.NoError(t, r.q.MapSVM(s, cl.MapWrite, 0, 64, nil))
	copy(s.Bytes(), count(64))
	require.NoError(t, r.q.UnmapSVM(s, 0, nil))
	k := r.kernel(t, `kernel void inc(global uchar *x) { x[get_global_id(0)]++; }`, "inc")
	require.NoError(t, k.SetSVM(0, s, 32))
	require.NoError(t, k.UsesSVM(s, other))
	require.NoError(t, r.q.Launch(k, cl.Range1(8, 0), nil))
	require.NoError(t, r.q.FillSVM(other, []byte{7, 8}, 0, 64, nil))
	require.NoError(t, r.q.CopySVM(other, 16, s, 32, 8, nil))
	require.NoError(t, r.q.MapSVM(other, cl.MapRead, 0, 64, nil))
	want := bytes.Repeat([]byte{7, 8}, 32)
	for i := range 8 {
		want[16+i] = count(64)[32+i] + 1
	}
	require.Equal(t, want, slices.Clone(other.Bytes()))
	require.NoError(t, r.q.UnmapSVM(other, 0, nil))
	require.NoError(t, r.q.Finish())

	require.ErrorIs(t, k.SetSVM(0, s, 64), cl.InvalidArgValue)
	require.ErrorIs(t, k.SetSVM(0, nil, 0), cl.InvalidArgValue)
	require.Error(t, r.q.CopySVM(other, 0, s, 60, 8, nil))
	require.Error(t, r.q.MapSVM(nil, cl.MapRead, 0, 1, nil))
	_, err = r.ctx.NewSVM(cl.MemReadWrite, 0, 0)
	require.ErrorIs(t, err, cl.InvalidBufferSize)
	require.NoError(t, s.Close())
	require.Nil(t, s.Bytes())
	require.ErrorIs(t, r.q.Launch(k, cl.Range1(8, 0), nil), cl.ErrClosed)
}

func TestCommandBufferReplays(t *testing.T) {
	r := newRig(t, nil)
	cb, err := r.q.NewCommandBuffer(cl.CommandBufferOptions{})
	if !r.dev.HasExtension("cl_khr_command_buffer") {
		require.ErrorIs(t, err, cl.ErrUnsupported)
		t.Skip("the device has no command buffers")
	}
	require.NoError(t, err)
	closing(t, cb)
	k := r.kernel(t, addOne, "add")
	a, b := r.filled(t, make([]byte, 64)), r.filled(t, make([]byte, 64))
	require.NoError(t, k.SetBuffer(0, a))
	require.NoError(t, k.SetInt32(1, 5))
	fill, err := cb.Fill(a, []byte{1, 0, 0, 0}, 0, 64)
	require.NoError(t, err)
	run, err := cb.Launch(k, cl.Range1(16, 0), fill)
	require.NoError(t, err)
	barrier, err := cb.Barrier(run)
	require.NoError(t, err)
	_, err = cb.Copy(a, b, 0, 32, 32, barrier)
	require.NoError(t, err)
	_, err = cb.CopyRect(a, b, cl.Rect{Region: [3]int{4, 2, 1}}, barrier)
	if !errors.Is(err, cl.ErrUnsupported) {
		require.NoError(t, err)
	}
	require.Error(t, r.q.Replay(cb, nil), "not finalized")
	require.NoError(t, cb.Finalize())
	_, err = cb.Barrier()
	require.Error(t, err, "finalized")

	require.NoError(t, a.Close())
	require.Equal(t, 2, r.lib.Stats().Buffers, "the recording holds what it names")
	for range 3 {
		require.NoError(t, r.q.Replay(cb, nil))
		require.NoError(t, r.q.Finish())
	}
	e, err := r.q.ReplayEvent(cb, nil)
	require.NoError(t, err)
	require.NoError(t, e.Wait())
	require.NoError(t, e.Close())
	got := make([]int32, 16)
	require.NoError(t, r.q.Read(b, 0, cl.Bytes(got), nil))
	require.Equal(t, slices.Repeat([]int32{6}, 8), got[8:])
	require.ErrorIs(t, r.queue(t, cl.QueueOptions{}).Replay(cb, nil), cl.IncompatibleCommandQueue)
	require.NoError(t, cb.Close())
	require.Equal(t, 1, r.lib.Stats().Buffers)
	require.ErrorIs(t, r.q.Replay(cb, nil), cl.ErrClosed)
	require.ErrorIs(t, cb.Finalize(), cl.ErrClosed)
}

func TestSimultaneousReplaysQueueUp(t *testing.T) {
	r := newRig(t, nil)
	if r.dev.Info().CommandBuffer&cl.CommandBufferSimultaneousUse == 0 {
		t.Skip("the device has no simultaneous replays")
	}
	cb, err := r.q.NewCommandBuffer(cl.CommandBufferOptions{Simultaneous: true})
	require.NoError(t, err)
	closing(t, cb)
	k := r.kernel(t, addOne, "add")
	a := r.filled(t, make([]byte, 4))
	require.NoError(t, k.SetBuffer(0, a))
	require.NoError(t, k.SetInt32(1, 1))
	_, err = cb.Launch(k, cl.Range1(1, 1))
	require.NoError(t, err)
	require.NoError(t, cb.Finalize())
	for range 50 {
		require.NoError(t, r.q.Replay(cb, nil))
	}
	require.EqualValues(t, 50, r.content(t, a)[0])
}

func TestSubdevicesWorkAndAreCounted(t *testing.T) {
	r := newRig(t, nil)
	part := cl.Partition{Kind: cl.PartitionEqually, Units: 1}
	parts, err := r.dev.Subdevices(part)
	if !slices.Contains(r.dev.Info().PartitionKinds, uint64(part.Kind)) || r.dev.Info().ComputeUnits < 2 {
		require.Error(t, err)
		t.Skip("the device cannot be divided")
	}
	require.NoError(t, err)
	require.Equal(t, len(parts), r.lib.Stats().Subdevices)
	require.Same(t, r.dev, parts[0].Parent())
	require.EqualValues(t, 1, parts[0].Info().ComputeUnits)

	ctx, err := r.lib.NewContext(parts...)
	require.NoError(t, err)
	q, err := ctx.NewQueue(parts[1], cl.QueueOptions{})
	require.NoError(t, err)
	b, err := ctx.NewBuffer(cl.MemReadWrite, 4, nil)
	require.NoError(t, err)
	require.NoError(t, q.Fill(b, []byte{3}, 0, 4, nil))
	out := make([]byte, 4)
	require.NoError(t, q.Read(b, 0, out, nil))
	require.Equal(t, []byte{3, 3, 3, 3}, out)
	_, err = r.ctx.NewQueue(parts[0], cl.QueueOptions{})
	require.ErrorIs(t, err, cl.InvalidDevice, "of another context")
	for _, c := range []closer{b, q, ctx} {
		require.NoError(t, c.Close())
	}
	for _, p := range parts {
		require.NoError(t, p.Close())
		require.NoError(t, p.Close())
	}
	_, err = parts[0].InfoBytes(0x102B)
	require.ErrorIs(t, err, cl.ErrClosed)
	_, err = r.lib.NewContext(parts[0])
	require.ErrorIs(t, err, cl.ErrClosed)
	require.NoError(t, r.dev.Close(), "a root device has nothing to release")

	byCounts, err := r.dev.Subdevices(cl.Partition{Kind: cl.PartitionByCounts, Counts: []int{1, 1}})
	if err == nil {
		require.Len(t, byCounts, 2)
		for _, p := range byCounts {
			require.NoError(t, p.Close())
		}
	}
	_, err = r.dev.Subdevices(cl.Partition{Kind: cl.PartitionByCounts, Counts: []int{0}})
	require.ErrorIs(t, err, cl.InvalidDevicePartitionCount)
	_, err = r.dev.Subdevices(cl.Partition{})
	require.ErrorIs(t, err, cl.InvalidValue)
}
