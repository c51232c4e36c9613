package philox

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The vectors are the known answers that the authors publish with their
// library (kat_vectors of Random123, philox4x32 with 10 rounds).
func TestKnownAnswers(t *testing.T) {
	const f = 0xffffffff
	require.Equal(t, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}, block([4]uint32{}, [2]uint32{}))
	require.Equal(t, [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}, block([4]uint32{f, f, f, f}, [2]uint32{f, f}))
	require.Equal(t, [4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1},
		block([4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0}))
}

func TestRangesAreHalfOpen(t *testing.T) {
	const f = 0xffffffff
	lo, hi := [4]uint32{}, [4]uint32{f, f, f, f}
	require.Zero(t, Uniform(lo))
	require.Zero(t, Uniform64(lo))
	require.Less(t, Uniform(hi), float32(1))
	require.Less(t, Uniform64(hi), 1.0)
	u, v := Pair(lo)
	require.Positive(t, u)
	require.Zero(t, v)
	u, v = Pair(hi)
	require.Equal(t, float32(1), u)
	require.Less(t, v, float32(1))
}
