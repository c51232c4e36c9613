package places_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// path is a CPU path whose runs take as long as is said, and are predicted to take.
type path struct{ sleepy }

func (*path) Name() string { return "cpu" }

// What is predicted to be a little slower than runs take may be faster. Runs take long beside what other programs add
// to them, which would be taken for a slower engine.
func TestAPlacementThatMayBeAsFastIsTried(t *testing.T) {
	for name, c := range map[string]struct {
		device time.Duration // of a run, predicted 24 ms beside 20 ms
		where  string
		stays  bool
	}{
		"faster":     {8 * time.Millisecond, "slowed", true},
		"slower":     {24 * time.Millisecond, "cpu", false},
		"far slower": {60 * time.Millisecond, "cpu", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			of := func(predicted time.Duration) opstest.Slowed {
				return opstest.Slowed{Engine: fallback.New(nil), Time: func(*engine.Task) time.Duration { return predicted }}
			}
			device, cpu := &sleepy{Slowed: of(24 * time.Millisecond)}, &path{sleepy{Slowed: of(20 * time.Millisecond)}}
			device.pause.Store(int64(c.device))
			cpu.pause.Store(int64(20 * time.Millisecond))
			rt := NewRuntime(device, cpu)
			g := NewGraph("tried")
			w := g.Variable("w", tensor.Must(tensor.FromSlice([]float32{0, 0}, 2)))
			x := g.Input("x", tensor.Float32, 2)
			exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{Add(w, Exp(x))}, Updates: []*Node{Assign(w, Add(w, ScalarLike(w, 1)))}})
			require.NoError(t, err)
			require.Equal(t, "cpu", exe.Report().Tasks[0].Where)
			feed := Feeds{x: tensor.Must(tensor.FromSlice([]float32{0, 0}, 2))}
			runs := 0
			for end := time.Now().Add(time.Minute); len(exe.Report().Tried) == 0 && time.Now().Before(end); runs++ {
				out, err := exe.Run(t.Context(), feed)
				require.NoError(t, err)
				require.EqualValues(t, 1+runs, out[0].Float64At(0))
			}
			r := exe.Report()
			require.Len(t, r.Tried, 1)
			require.Equal(t, c.stays, r.Tried[0].Stays, r)
			require.Contains(t, r.Tried[0].Where, "on slowed")
			require.Contains(t, r.String(), "tried")
			require.Equal(t, c.where, r.Tasks[0].Where, r)
			for range 140 { // nothing is left to try, and nothing moves again
				_, err := exe.Run(t.Context(), feed)
				require.NoError(t, err)
				runs++
			}
			r = exe.Report()
			require.Len(t, r.Tried, 1)
			require.Equal(t, c.where, r.Tasks[0].Where, r)
			value, err := Value(t.Context(), w)
			require.NoError(t, err)
			require.EqualValues(t, runs, value.Float64At(0))
			require.NoError(t, errors.Join(rt.Close(), cpu.Engine.Close(), device.Engine.Close()))
			require.Zero(t, device.Stats().Memories)
			require.Zero(t, cpu.Stats().Memories)
		})
	}
}
