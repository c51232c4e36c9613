package train

import (
	"context"
	"io"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// A training that is to end by its context or by a lack of improvement has no number of epochs that matters.
func TestATrainingMayHaveAnyNumberOfEpochs(t *testing.T) {
	rts := opened(t, "none")
	for _, epochs := range []int{1 << 40, math.MaxInt} {
		r := built(t, rts)
		ctx, cancel := context.WithCancel(t.Context())
		h, err := Fit(ctx, r.rt, r.model, r.loader, Options{Epochs: epochs, after: func(step int) {
			if step == 20 {
				cancel()
			}
		}})
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, 20, h.Steps)
	}
}

// ender ends a context when its value is asked for, after the n-th validation.
type ender struct {
	Accuracy
	end context.CancelFunc
	n   int
}

func (e *ender) Value() float64 {
	if e.n--; e.n == 0 {
		e.end()
	}
	return e.Accuracy.Value()
}

// The last validation counts, so what follows it is not given up.
func TestAContextThatEndsAfterTheLastValidationLeavesTheBest(t *testing.T) {
	rts := opened(t, "none")
	r := built(t, rts)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := Options{Epochs: 3, Valid: r.valid, KeepBest: true, Metrics: []Metric{&ender{end: cancel, n: 3}}}
	h, err := Fit(ctx, r.rt, r.model, r.loader, o)
	require.NoError(t, err)
	loss, err := Evaluate(t.Context(), r.rt, r.model, r.valid)
	require.NoError(t, err)
	require.Equal(t, float64(h.Best.ValidLoss), loss)
}

func TestALossOfAValidationIsAScalar(t *testing.T) {
	rts := opened(t, "none")
	r := built(t, rts)
	r.model.ValidLoss = r.model.Scores
	_, err := Evaluate(t.Context(), r.rt, r.model, r.valid)
	require.ErrorContains(t, err, "not a scalar float")
	r = built(t, rts)
	r.model.ValidLoss = ops.Cast(r.model.ValidLoss, tensor.Int64)
	_, err = Fit(t.Context(), r.rt, r.model, r.loader, Options{Valid: r.valid})
	require.ErrorContains(t, err, "not a scalar float")
}

// Losses at the ends of the range of float64 are drawn somewhere, in a time that does not depend on them.
func TestCurvesOfExtremeLossesEnd(t *testing.T) {
	for name, losses := range map[string][2]Number{
		"the whole range": {-math.MaxFloat64, math.MaxFloat64},
		"subnormal":       {1e-310, 1e-310},
		"small":           {1e-301, 1e-301},
		"zero":            {0, 0},
	} {
		h := &History{Losses: []Point{{1, losses[0]}, {2, losses[1]}}}
		done := make(chan error, 1)
		go func() { done <- h.WritePNG(io.Discard) }()
		select {
		case err := <-done:
			require.NoError(t, err, name)
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: the picture is not drawn", name)
		}
	}
}
