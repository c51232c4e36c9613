package cldriver

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// pointerTo turns C memory's address back into a pointer.
func pointerTo(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

func TestStructsHaveTheLayoutOfC(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("the figures are those of 64-bit platforms")
	}
	require.EqualValues(t, 8, unsafe.Sizeof(ImageFormat{}))
	require.EqualValues(t, 72, unsafe.Sizeof(ImageDesc{}))
	require.EqualValues(t, 8, unsafe.Offsetof(ImageDesc{}.Width))
	require.EqualValues(t, 40, unsafe.Offsetof(ImageDesc{}.RowPitch))
	require.EqualValues(t, 56, unsafe.Offsetof(ImageDesc{}.MipLevels))
	require.EqualValues(t, 64, unsafe.Offsetof(ImageDesc{}.Memory))
}

func TestEveryOperationHasAName(t *testing.T) {
	seen := map[string]bool{}
	for op := range opCount {
		require.NotEmpty(t, op.String())
		require.False(t, seen[op.String()], op.String())
		seen[op.String()] = true
	}
	require.Equal(t, "unknown operation", opCount.String())
}

func TestResetClearsAllButCapacity(t *testing.T) {
	c := NewCommand()
	c.Wait, c.WantEvent, c.Event, c.C = append(c.Wait, 1, 2), true, 7, [3]uintptr{1, 2, 3}
	c.Reset(OpMarker)
	require.Equal(t, OpMarker, c.Op)
	require.Empty(t, c.Wait)
	require.GreaterOrEqual(t, cap(c.Wait), 2)
	require.False(t, c.WantEvent)
	require.Zero(t, c.Event)
	require.Zero(t, c.C)
}
