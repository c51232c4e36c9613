package offline

import (
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// testdata/saxpy-gfx1100.elf is the output of AMD's compiler (comgr of ROCm 5.7) for examples/saxpy.
func TestACodeObjectTellsWhatItsKernelsNeed(t *testing.T) {
	b, err := os.ReadFile("testdata/saxpy-gfx1100.elf")
	require.NoError(t, err)
	all, err := readCodeObject(b)
	require.NoError(t, err)
	require.Len(t, all, 1)
	u := all["saxpy"]
	require.Equal(t, 32, u.Lanes)
	require.Positive(t, u.Registers)
	require.Less(t, u.Registers, 16)
	require.Zero(t, u.Spill)

	for _, n := range []int{0, 16, 63, 200, 1000, len(b) / 2} {
		_, err := readCodeObject(b[:n])
		require.Error(t, err, "the first %d bytes", n)
	}
}

// Scalar registers that find room in lanes of vector registers cost no memory.
func TestScalarsInVectorLanesAreNoSpill(t *testing.T) {
	text := func(private byte) []byte {
		return []byte("\x81\xaeamdhsa.kernels\x91\x85\xa5.name\xa1k\xab.vgpr_count\x7f\xb1.sgpr_spill_count\x0a\xb1.vgpr_spill_count\x02" +
			"\xbb.private_segment_fixed_size" + string(rune(private)))
	}
	for private, want := range map[byte]int{0: 2, 16: 12} {
		all, err := usageOf(text(private))
		require.NoError(t, err)
		require.Equal(t, map[string]Usage{"k": {Registers: 127, Spill: want, Private: int64(private)}}, all)
	}
}

func TestMessagePackIsRead(t *testing.T) {
	for text, want := range map[string]any{
		"\x05": int64(5), "\xff": int64(-1), "\xc0": nil, "\xc2": false, "\xc3": true,
		"\xcc\xff": int64(255), "\xcd\x01\x00": int64(256), "\xce\x00\x01\x00\x00": int64(65536), "\xcf\x00\x00\x00\x00\x00\x00\x01\x00": int64(256),
		"\xd0\xff": int64(-1), "\xd1\xff\xfe": int64(-2), "\xd2\xff\xff\xff\xfd": int64(-3), "\xd3\xff\xff\xff\xff\xff\xff\xff\xfc": int64(-4),
		"\xca\x3f\x80\x00\x00": 1.0, "\xcb\x40\x00\x00\x00\x00\x00\x00\x00": 2.0,
		"\xa2ab": "ab", "\xd9\x01a": "a", "\xda\x00\x01b": "b", "\xc4\x01c": "c",
		"\x92\x01\xa1x": []any{int64(1), "x"}, "\xdc\x00\x01\x07": []any{int64(7)},
		"\x81\xa1k\x03": map[any]any{"k": int64(3)}, "\xde\x00\x01\xa1k\xa1v": map[any]any{"k": "v"},
	} {
		v, rest, err := unpack([]byte(text+"rest"), 0)
		require.NoError(t, err, "%q", text)
		require.Equal(t, want, v, "%q", text)
		require.Equal(t, "rest", string(rest), "%q", text)
		for n := range len(text) {
			_, _, err := unpack([]byte(text[:n]), 0)
			require.ErrorIs(t, err, errPacked, "%q", text[:n])
		}
	}
	for _, text := range []string{"\xc1", "\xc7\x01\x01x", "\xdf\xff\xff\xff\xff", "\x81\x01\x02"} {
		_, _, err := unpack([]byte(text), 0)
		require.ErrorIs(t, err, errPacked, "%q", text)
	}
}

func FuzzMessagePackDoesNotPanic(f *testing.F) {
	f.Add([]byte("\x82\xa1k\x93\x01\xc0\xcb\x40\x00\x00\x00\x00\x00\x00\x00\xa1z\xd9\x03abc"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if v, rest, err := unpack(b, 0); err == nil {
			if len(rest) >= len(b) {
				t.Fatal("nothing was read")
			}
			if x, ok := v.(float64); ok && math.IsNaN(x) {
				return
			}
		}
	})
}
