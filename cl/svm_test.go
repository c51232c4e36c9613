package cl_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
)

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
