package cl_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
)

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
