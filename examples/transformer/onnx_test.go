package main

import (
	"testing"

	"github.com/anycl/anycl/examples/internal/onnxtest"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func TestNetworkIsTheSameAsAnONNXFile(t *testing.T) {
	t.Parallel()
	n := newNetwork(shape{Layers: 2, Width: 32, Heads: 4, Context: 6, Alphabet: "abcdefgh"}, 1, tensor.Float32)
	ids := n.Graph().Input("ids", tensor.Int64, 2, 9)
	read := tensor.Must(tensor.FromSlice([]int64{0, 1, 2, 3, 4, 5, 6, 7, 0, 7, 7, 1, 3, 2, 5, 0, 4, 6}, 2, 9))
	onnxtest.Same(t, n.scores(n.Eval(), ids, nil), ops.Feeds{ids: read}, nil)
}
