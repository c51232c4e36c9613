package fusion

import (
	"io"
	"math"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Fused and apart give the same: one reader for each producer, and others for the next.
func TestFusedGraphsGiveWhatTheirPartsGive(t *testing.T) {
	rt, err := ops.Open(t.Context(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	exactly := func(name string) *regexp.Regexp { return regexp.MustCompile("^" + regexp.QuoteMeta(name) + "$") }
	for i, p := range Producers {
		r := Readers[i*5%len(Readers)]
		s, err := Sweep(t.Context(), rt, Options{Producers: exactly(p.Name), Readers: exactly(r.Name), Runs: 1, Out: io.Discard})
		require.NoError(t, err)
		require.Equal(t, 1, s.Pairs)
		for _, w := range s.Wrong {
			t.Errorf("%s, %s: off by %g\n%s", w.Producer, w.Reader, w.Off, w.Plan)
		}
	}
}

func TestDifferencesAreFound(t *testing.T) {
	of := func(v ...float32) *tensor.Tensor { return tensor.Must(tensor.FromSlice(v, len(v))) }
	nan := float32(math.NaN())
	require.Zero(t, off(of(1, -4, nan), of(1, -4, nan)))
	require.InDelta(t, 0.25, off(of(1, -3), of(1, -4)), 1e-6)
	require.True(t, math.IsInf(off(of(1, nan), of(1, 2)), 1))
}
