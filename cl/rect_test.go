package cl_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
)

func box(dst, src []byte, r cl.Rect) {
	row := func(pitch int) int { return max(pitch, r.Region[0]) }
	slice := func(pitch, rowPitch int) int { return max(pitch, row(rowPitch)*r.Region[1]) }
	for z := range r.Region[2] {
		for y := range r.Region[1] {
			from := (r.Origin[2]+z)*slice(r.SlicePitch, r.RowPitch) + (r.Origin[1]+y)*row(r.RowPitch) + r.Origin[0]
			to := (r.Origin2[2]+z)*slice(r.SlicePitch2, r.RowPitch2) + (r.Origin2[1]+y)*row(r.RowPitch2) + r.Origin2[0]
			copy(dst[to:to+r.Region[0]], src[from:])
		}
	}
}

func TestRectangularCopiesAgreeWithTheHost(t *testing.T) {
	r := newRig(t, nil)
	rects := map[string]cl.Rect{
		"row":     {Region: [3]int{5, 1, 1}},
		"tight":   {Region: [3]int{8, 4, 2}},
		"pitches": {Region: [3]int{5, 3, 2}, Origin: [3]int{2, 1, 1}, RowPitch: 16, SlicePitch: 80, Origin2: [3]int{1, 2, 0}, RowPitch2: 11, SlicePitch2: 77},
		"to rows": {Region: [3]int{4, 6, 1}, RowPitch: 4, RowPitch2: 32, Origin2: [3]int{3, 0, 0}},
	}
	for name, rect := range rects {
		t.Run(name, func(t *testing.T) {
			src := count(512)
			want := make([]byte, 512)
			box(want, src, rect)
			b := r.filled(t, src)

			out := make([]byte, 512)
			require.NoError(t, r.q.ReadRect(b, rect, out, nil))
			require.Equal(t, want, out, "read")

			copied := r.filled(t, make([]byte, 512))
			require.NoError(t, r.q.CopyRect(b, copied, rect, nil))
			require.Equal(t, want, r.content(t, copied), "copy")

			// Writing goes the other way: from the second memory to the first.
			back := make([]byte, 512)
			box(back, src, cl.Rect{
				Region: rect.Region, Origin: rect.Origin2, RowPitch: rect.RowPitch2, SlicePitch: rect.SlicePitch2,
				Origin2: rect.Origin, RowPitch2: rect.RowPitch, SlicePitch2: rect.SlicePitch,
			})
			written := r.filled(t, make([]byte, 512))
			require.NoError(t, r.q.WriteRect(written, rect, src, nil))
			require.Equal(t, back, r.content(t, written), "write")

			clear(out)
			e, err := r.q.ReadRectEvent(b, rect, out, nil)
			require.NoError(t, err)
			require.NoError(t, e.Wait())
			require.NoError(t, e.Close())
			require.Equal(t, want, out, "read with event")
		})
	}
}

// A box whose end has no int would wrap around to one that fits.
func TestABoxOfHugePitchesIsAnError(t *testing.T) {
	r := newRig(t, nil)
	b, out := r.filled(t, count(64)), make([]byte, 64)
	for name, rect := range map[string]cl.Rect{
		"slices":      {Region: [3]int{1, 1, 5}, SlicePitch: 1 << 62},
		"rows":        {Region: [3]int{1, 5, 1}, RowPitch: 1 << 62},
		"host slices": {Region: [3]int{1, 1, 5}, SlicePitch2: 1 << 62},
		"tight":       {Region: [3]int{1 << 32, 1 << 32, 1}},
		"origin":      {Region: [3]int{1, 1, 1}, RowPitch: 1 << 32, Origin: [3]int{0, 1 << 32, 0}},
	} {
		require.ErrorIs(t, r.q.ReadRect(b, rect, out, nil), cl.InvalidValue, name)
	}
}
