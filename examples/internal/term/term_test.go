package term

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInkIsDrawnInFiveShades(t *testing.T) {
	rows := Image([]float32{0, 0.25, 0.5, 0.75, 1, 7, -1, float32(math.NaN())}, 4)
	require.Equal(t, []string{"  ░░▒▒▓▓", "████    "}, rows)
	require.Empty(t, Image([]float32{1}, 0))
	require.Empty(t, Image([]float32{1}, 2), "half a row is no row")
}

func TestBlocksOfUnequalSizeStandSideBySide(t *testing.T) {
	require.Equal(t, "one   two\n      ██\n", Beside(3, []string{"one"}, []string{"two", "██"}))
	require.Empty(t, Beside(2))
}

func TestProgressWithoutATerminalIsPlainLines(t *testing.T) {
	var b bytes.Buffer
	require.False(t, isTerminal(&b))
	p := NewProgress(&b, 10, "work")
	p.Step()
	p.Line("epoch %d", 1)
	p.Done()
	require.Equal(t, "epoch 1\n", b.String())
}
