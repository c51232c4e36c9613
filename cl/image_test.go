package cl_test

import (
	"bytes"
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
	p, err := r.ctx.NewProgram(`kernel void look(read_only image2d_t m, sampler_t s, global uint4 *out) {
		out[get_global_id(0)] = read_imageui(m, s, (int2)(get_global_id(0), 5)); }`)
	require.NoError(t, err)
	closing(t, p)
	if err := p.Build(""); err != nil {
		t.Skip("the device claims images, but has no read_imageui: ", err) // PoCL 7.1
	}
	k, err := p.Kernel("look")
	require.NoError(t, err)
	closing(t, k)
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
