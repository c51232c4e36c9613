package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/examples/internal/onnxtest"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func TestNetworkIsTheSameAsAnONNXFile(t *testing.T) {
	t.Parallel()
	_, test, err := load()
	require.NoError(t, err)
	g := ops.NewGraph("digits")
	_, logits := network(g, 1)
	x := g.Input("images", tensor.Float32, test.images.Shape()...)
	onnxtest.Same(t, logits(x), ops.Feeds{x: test.images}, nil)
}
