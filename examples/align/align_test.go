package main

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/gallery/gallerytest"
	"github.com/anycl/anycl/ops"
)

func TestTheProgramsChecksHoldOnEveryEngine(t *testing.T) {
	out := gallerytest.Run(t, func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, 20) })
	assert.Contains(t, out, "reads score at least 30: ")
}

func TestScoresOfAlignmentsByHand(t *testing.T) {
	for _, c := range []struct {
		read, genome string
		score, end   int
	}{
		{"ACGT", "TTACGTTT", 4, 5},
		{"ACGT", "GGGG", 1, 0},
		{"AAAA", "CCCC", 0, 0},
		{"N", "ACGT", 0, 0},
		{strings.Repeat("ACGTT", 4) + strings.Repeat("CATGA", 4), strings.Repeat("ACGTT", 4) + "G" + strings.Repeat("CATGA", 4), 40 - open, 40},
		{strings.Repeat("ACGTT", 4) + "GG" + strings.Repeat("CATGA", 4), strings.Repeat("ACGTT", 4) + strings.Repeat("CATGA", 4), 40 - open - extend, 39},
		{strings.Repeat("ACGTT", 2) + "A" + strings.Repeat("CATGA", 2), strings.Repeat("ACGTT", 2) + "C" + strings.Repeat("CATGA", 2), 20 - mismatch, 20},
	} {
		score, end := smithWaterman(codes(c.read), codes(c.genome))
		assert.Equal(t, c.score, score, "%s in %s", c.read, c.genome)
		assert.Equal(t, c.end, end, "%s in %s", c.read, c.genome)
	}
}

// Reads that do and do not fit into 8 bits, with gaps, beyond the borders of parts, on each engine.
func TestEveryEngineFindsTheBestOfTheWholeMatrix(t *testing.T) {
	rt, err := ops.Open(t.Context(), nil)
	require.NoError(t, err)
	defer rt.Close()
	genome, err := lambda()
	require.NoError(t, err)
	genome = genome[:9001] // two parts, of which the second is short
	reads := append(makeReads(genome, 70), genome[8100:8300], genome[8000:8390], genome[8992:], genome[100:130]+genome[138:300])
	places := []ops.Place{ops.OnCPU}
	if rt.Device() != nil {
		places = append(places, ops.OnDevice)
	}
	for _, place := range places {
		run, err := alignAll(t.Context(), rt, place, reads, genome)
		require.NoError(t, err)
		hits, err := run(t.Context())
		require.NoError(t, err)
		for i, h := range hits {
			score, end := smithWaterman(codes(reads[i]), codes(genome))
			require.Equal(t, score, h.score, "read %d on %v", i, place)
			require.LessOrEqual(t, h.end, end)
			require.Less(t, end-h.end, strip)
		}
		require.Equal(t, 390, hits[71].score, "16 bits")
	}
}

func TestTheOtherStrandIsReadBackwards(t *testing.T) {
	require.Equal(t, "NACGT", reverseComplement("ACGTN"))
}
