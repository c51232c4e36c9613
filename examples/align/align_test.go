package main

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/gallery/gallerytest"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
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

// The GPU form, one read a work-item, on whatever device the machine has.
func TestOneReadAWorkItemGivesTheSame(t *testing.T) {
	rt, err := ops.Open(t.Context(), nil)
	require.NoError(t, err)
	defer rt.Close()
	if rt.Device() == nil {
		t.Skip("there is no OpenCL device")
	}
	genome, err := lambda()
	require.NoError(t, err)
	genome = genome[:3000]
	reads := makeReads(genome, 9)
	var coded [][]uint8
	var order []int
	for i, r := range reads {
		coded, order = append(coded, codes(r)), append(order, i)
	}
	slices.SortFunc(order, func(a, b int) int { return len(reads[a]) - len(reads[b]) })
	b := pack(coded, order, geometry{1, "int", strip, 1024})
	g := ops.NewGraph("align")
	r := g.Input("reads", tensor.Uint8, b.reads.Shape()...)
	l := g.Input("lengths", tensor.Int32, b.lengths.Shape()...)
	filled := tensor.Must(tensor.FromSlice(append(codes(genome), slices.Repeat([]uint8{beyond}, strip)...)))
	x := g.Input("genome", tensor.Uint8, filled.Len())
	exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: align(b, len(genome), r, l, x), Place: ops.OnDevice})
	require.NoError(t, err)
	out, err := exe.Run(t.Context(), ops.Feeds{r: b.reads, l: b.lengths, x: filled})
	require.NoError(t, err)
	for k, read := range order {
		score, _ := smithWaterman(coded[read], codes(genome))
		require.EqualValues(t, score, slices.Max(tensor.MustSlice[int32](out[0])[3*k:3*k+3]), "read %d", read)
	}
}
