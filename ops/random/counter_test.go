package random_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/random"
	"github.com/anycl/anycl/tensor"
)

// known are columns of known answers: words of counters, of keys, and of results. The rows are those that the authors publish with
// their library (kat_vectors of Random123): zeros, ones, and digits of pi.
func known(g *ops.Graph, columns ...[]uint32) []*ops.Node {
	all := make([]*ops.Node, len(columns))
	for i, c := range columns {
		all[i] = g.Const(tensor.Must(tensor.FromSlice(c, len(c))))
	}
	return all
}

var pi = []uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89}

func inputs(n int) (columns [][]uint32) {
	for i := range n {
		columns = append(columns, []uint32{0, 0xffffffff, pi[i]})
	}
	return columns
}

func TestCounterBasedGeneratorsGiveTheKnownAnswers(t *testing.T) {
	for _, device := range []string{"none", ""} {
		rt, err := ops.Open(t.Context(), &ops.Options{Device: device})
		require.NoError(t, err)
		defer rt.Close()
		place := ops.OnDevice
		if rt.Device() == nil {
			place = ops.OnCPU
		}
		g := ops.NewGraph("known answers")
		two, four, philox := known(g, inputs(4)...), known(g, inputs(8)...), known(g, inputs(6)...)
		a := random.Threefry2x32([2]*ops.Node(two), [2]*ops.Node(two[2:]))
		b := random.Threefry4x32([4]*ops.Node(four), [4]*ops.Node(four[4:]))
		c := random.Philox4x32([4]*ops.Node(philox), [2]*ops.Node(philox[4:]))
		got := values(t, rt, place, append(append(a[:], b[:]...), c[:]...)...)
		for i, want := range [][]uint32{
			{0x6b200159, 0x1cb996fc, 0xc4923a9c}, {0x99ba4efe, 0xbb002be7, 0x483df7a0},
			{0x9c6ca96a, 0x2a881696, 0x59cd1dbb}, {0xe17eae66, 0x57012287, 0xb8879579},
			{0xfc10ecd4, 0xf6c7446e, 0x86b5d00c}, {0x5256a7d8, 0xa16a6732, 0xac8b6d84},
			{0x6627e8d5, 0x408f276d, 0xd16cfe09}, {0xe169c58d, 0x41c83b0e, 0x94fdcceb},
			{0xbc57ac4c, 0xa20bc7c6, 0x5001e420}, {0x9b00dbd8, 0x6d5451fd, 0x24126ea1},
		} {
			for k, w := range want {
				require.EqualValues(t, w, got[i][k], "%s: result %d of row %d", rt.Why(), i, k)
			}
		}
	}
}

// The fraction of ones in each bit, and of bits that change with one bit of the counter, is a half.
func TestCounterBasedGeneratorsMix(t *testing.T) {
	const n = 1 << 14
	rt, err := ops.Open(t.Context(), &ops.Options{Device: "none"})
	require.NoError(t, err)
	defer rt.Close()
	g := ops.NewGraph("mix")
	i, zero := g.Iota(tensor.Uint32, 0, n), g.Full(tensor.Uint32, 0)
	word := func(i *ops.Node) *ops.Node {
		return random.Threefry2x32([2]*ops.Node{i, zero}, [2]*ops.Node{zero, zero})[1]
	}
	x := word(i)
	changed := ops.Xor(x, word(ops.Xor(i, uint32(1))))
	got := values(t, rt, ops.OnCPU, x, changed)
	for what, words := range got {
		for bit := range 32 {
			ones := 0
			for _, w := range words {
				ones += int(uint32(w)>>bit) & 1
			}
			require.InDelta(t, n/2, ones, 5*64, "of %d, bit %d: five standard deviations", what, bit) // √n/2 is 64
		}
	}
}

func TestCounterBasedGeneratorsRefuseOtherWords(t *testing.T) {
	g := ops.NewGraph("wrong")
	x, y := g.Full(tensor.Uint32, 1, 3), g.Full(tensor.Float32, 1, 3)
	require.True(t, random.Threefry2x32([2]*ops.Node{x, x}, [2]*ops.Node{x, y})[0] != nil)
	require.ErrorContains(t, g.Err(), "word 3 is float32, not uint32")
	require.ErrorContains(t, g.Err(), "counter_test.go")
	g = ops.NewGraph("shapes")
	x, y = g.Full(tensor.Uint32, 1, 3), g.Full(tensor.Uint32, 1, 4)
	random.Threefry4x32([4]*ops.Node{x, x, x, x}, [4]*ops.Node{y, y, y, y})
	require.Error(t, g.Err())
	g = ops.NewGraph("nil")
	random.Philox4x32([4]*ops.Node{g.Full(tensor.Uint32, 1)}, [2]*ops.Node{})
}
