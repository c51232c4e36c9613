package main

import (
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/gallery/gallerytest"
	"github.com/anycl/anycl/examples/internal/onnxtest"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tokenizer"
)

// The first elements of the vectors of two sentences are those that TensorFlow.js 4.22 computes with the encoder's own graph.
func TestVectorsAreThoseOfTensorFlow(t *testing.T) {
	t.Parallel()
	words, w, err := load()
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip(err)
	}
	require.NoError(t, err)
	texts := []string{"Call me Ishmael.", "It's raining cats and dogs, isn't it?"}
	require.Equal(t, []int{3650, 84, 16, 552, 252, 283, 6}, words.Encode(texts[0], tokenizer.Options{Plain: true}).IDs)
	x, err := batch(words, texts)
	require.NoError(t, err)
	g, ids, y := encoder(w)
	rt, err := ops.Open(t.Context(), nil)
	require.NoError(t, err)
	defer rt.Close()
	require.NoError(t, g.Err())
	for _, place := range gallerytest.Places(rt) {
		out := gallerytest.Compute(t, rt, place, ops.Feeds{ids: x}, y)[0]
		for i, want := range [][]float64{
			{-0.0605899, 0.0126403, -0.0487823, -0.0496791, 0.011733, -0.0487579, 0.0286761, 0.0494517},
			{0.0232945, 0.0055656, -0.0631688, -0.0052765, -0.0450789, 0.0728388, 0.0219434, 0.0224325},
		} {
			for k, v := range want {
				require.InDelta(t, v, out.Float64At(i*width+k), 2e-6)
			}
		}
	}
	onnxtest.Same(t, y, ops.Feeds{ids: x}, nil)
}

func TestTheProgramChecksItself(t *testing.T) {
	if _, _, err := load(); errors.Is(err, fs.ErrNotExist) {
		t.Skip(err)
	}
	printed := gallerytest.Run(t, func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, options{count: 28}) })
	require.Contains(t, printed, "Call me Ishmael.")
}

func TestWeightsLieAsTheLayoutSays(t *testing.T) {
	t.Parallel()
	layout := []byte(`{"weightsManifest":[{"weights":[{"name":"shape","shape":[2],"dtype":"int32"},{"name":"k","shape":[1,1,2,1],"dtype":"float32"}]}]}`)
	bytes := make([]byte, 16)
	for i, v := range []float32{2.5, -3} {
		binary.LittleEndian.PutUint32(bytes[8+4*i:], math.Float32bits(v))
	}
	w, err := parse(layout, bytes)
	require.NoError(t, err)
	require.Equal(t, []int{2, 1}, w.named("k").Shape())
	require.Equal(t, -3.0, w.named("k").Float64At(1))
	_, err = parse(layout, bytes[:15])
	require.ErrorContains(t, err, "k is not in the files")
	_, err = parse([]byte("{"), nil)
	require.Error(t, err)
}

func TestSentencesOfAText(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"Call me Ishmael.", "What of it, if so?", "And now the end"}, sentences("Call me\nIshmael. Aye! What of it, if so? And now the end", 9))
	require.Len(t, sentences("One two three. Four five six. Seven eight nine.", 2), 2)
}

func TestNearest(t *testing.T) {
	t.Parallel()
	all := [][]float64{{1, 0}, {0, 1}, {0.6, 0.8}}
	require.Equal(t, []int{1, 2}, nearest(all, []float64{0, 1}, 2))
	require.Empty(t, nearest(nil, []float64{0, 1}, 2))
}
