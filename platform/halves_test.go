package platform

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
)

// A loop stands between the loads and the arithmetic on them, so that no instruction does both: those that do take any address.
const halvesSource = `
#define COPY(n) kernel void copy##n(global const half *x, global half *y, const int at, const int rows) { \
    local ushort words[64]; \
    local half *const part = (local half *)words; \
    const float##n v = vload_half##n(0, x + at); \
    int i = 0; \
    do vstore_half((float)i, i, part + 32); while (++i < rows); \
    vstore_half##n(v, 0, part + at); \
    vstore_half##n##_rtz(vload_half##n(0, part + at), 0, y + at); \
    for (i = 1; i < rows; i++) vstore_half##n(vload_half##n(0, part + at) + vload_half(i, part + 32), i, y + at); \
}
COPY(4)
COPY(8)
COPY(16)
`

func TestVectorsOfHalvesLieAnywhere(t *testing.T) {
	o := fresh(t, nil, &Options{CacheDir: CacheOff})
	prog, err := o.Program(t.Context(), "halves", halvesSource, "")
	require.NoError(t, err)
	log, err := prog.Log(o.cl)
	require.NoError(t, err)
	require.NotContains(t, log, "warning", log)
	const rows, size = 3, 2 * 64
	x, y := make([]byte, size), make([]byte, size)
	for i := range size / 2 { // 1 + i/64 is a half
		binary.LittleEndian.PutUint16(x[2*i:], 0x3c00+uint16(i<<4))
	}
	half := func(b []byte, i int) float64 {
		h := binary.LittleEndian.Uint16(b[2*i:])
		return math.Ldexp(1+float64(h&0x3ff)/1024, int(h>>10)-15)
	}
	in, err := o.Alloc(size)
	require.NoError(t, err)
	defer in.Close()
	out, err := o.Alloc(size)
	require.NoError(t, err)
	defer out.Close()
	require.NoError(t, o.Write(t.Context(), in, 0, x))
	for _, n := range []int{4, 8, 16} {
		k, err := prog.Kernel(fmt.Sprintf("copy%d", n))
		require.NoError(t, err)
		for at := range 8 {
			require.NoError(t, o.Write(t.Context(), out, 0, make([]byte, size)))
			for i, m := range []*Memory{in, out} {
				require.NoError(t, k.SetBuffer(i, m.Buffer()))
			}
			require.NoError(t, k.SetInt32(2, int32(at)))
			require.NoError(t, k.SetInt32(3, rows))
			require.NoError(t, o.Queue().Launch(k, cl.Range1(1, 1), nil))
			require.NoError(t, o.Read(t.Context(), y, out, 0))
			for row := range rows {
				for i := range n {
					require.Equal(t, half(x, at+i)+float64(row), half(y, at+row*n+i), "%d from %d on, row %d, element %d", n, at, row, i)
				}
			}
		}
		require.NoError(t, k.Close())
	}
}
