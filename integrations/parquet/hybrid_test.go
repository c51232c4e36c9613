package parquet

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/parquet-go/bitpack"
	"github.com/stretchr/testify/require"
)

// runs encodes numbers in runs of random kinds and lengths, bit by bit.
func runs(r *rand.Rand, width int) (numbers []int32, b []byte) {
	for range r.IntN(6) + 1 {
		v := func() uint32 { return uint32(uint64(r.Uint32()) & (1<<width - 1)) }
		if r.IntN(2) == 0 {
			n, x := r.IntN(40), v()
			b = binary.AppendUvarint(b, uint64(n)<<1)
			b = append(b, binary.LittleEndian.AppendUint32(nil, x)[:(width+7)/8]...)
			for range n {
				numbers = append(numbers, int32(x))
			}
			continue
		}
		groups := r.IntN(30)
		b = binary.AppendUvarint(b, uint64(groups)<<1|1)
		bits := make([]byte, groups*width)
		for i := range groups * 8 {
			x := v()
			numbers = append(numbers, int32(x))
			for k := range width {
				bits[(i*width+k)/8] |= byte(x>>k&1) << ((i*width + k) % 8)
			}
		}
		b = append(b, bits...)
	}
	return numbers, b
}

func TestRunsAreReadInParts(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		width := 1 + r.IntN(32)
		want, b := runs(r, width)
		b = append(b, make([]byte, bitpack.PaddingInt32)...)[:len(b)]
		h := &hybrid{b: b, width: width}
		for len(want) > 0 {
			n := 1 + r.IntN(len(want))
			if r.IntN(3) == 0 {
				require.NoError(t, h.skip(n))
			} else {
				got := make([]int32, n)
				require.NoError(t, h.read(got))
				require.Equal(t, want[:n], got, "width %d", width)
			}
			want = want[n:]
		}
		require.ErrorIs(t, h.read(make([]int32, 8)), errRuns)
	}
	none := make([]int32, 5)
	require.NoError(t, (&hybrid{}).read(none)) // without bits
	require.Equal(t, make([]int32, 5), none)
}

func TestLevelsOfOneBit(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	var buf []byte
	for range 500 {
		want, b := runs(r, 1)
		b = append(b, make([]byte, bitpack.PaddingInt32)...)[:len(b)]
		got, err := levels(b, len(want), &buf)
		require.NoError(t, err)
		for i, v := range want {
			if got == nil {
				require.EqualValues(t, 1, v)
			} else {
				require.EqualValues(t, v, got[i])
			}
		}
		_, err = levels(b, len(want)+1, &buf)
		if len(want) == 0 || got != nil {
			require.ErrorIs(t, err, errRuns)
		}
	}
	_, err := levels([]byte{8, 2}, 4, &buf) // a level of 2
	require.ErrorIs(t, err, errRuns)
}
