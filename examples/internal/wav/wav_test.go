package wav

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnlySoundThatCanBeReadIsRead(t *testing.T) {
	good := Encode([]float32{0, 0.5, -1, 2}, 8000)
	signal, rate, err := Decode(good)
	require.NoError(t, err)
	require.Equal(t, 8000, rate)
	require.Equal(t, []float32{0, 0.5, -32767. / 32768, 32767. / 32768}, signal)
	for n := range 46 {
		_, _, err := Decode(good[:n])
		require.ErrorIs(t, err, ErrFormat, "%d bytes", n)
	}
	for _, at := range []int{0, 8, 20, 22, 34} { // RIFF, WAVE, PCM, one channel, 16 bits
		bad := append([]byte{}, good...)
		bad[at]++
		_, _, err := Decode(bad)
		require.ErrorIs(t, err, ErrFormat, "byte %d", at)
	}
}
