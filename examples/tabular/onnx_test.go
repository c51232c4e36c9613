package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/data"
	"github.com/anycl/anycl/examples/internal/onnxtest"
	"github.com/anycl/anycl/ops"
)

func TestNetworkIsTheSameAsAnONNXFile(t *testing.T) {
	t.Parallel()
	x, _, err := load()
	require.NoError(t, err)
	scale, err := data.FitStandard(x)
	require.NoError(t, err)
	n := build(scale, 1)
	onnxtest.Same(t, n.Eval().Apply(n.scaled), ops.Feeds{n.x: x}, ops.Sizes{"rows": x.Shape()[0]})
}
