package main

import (
	"testing"

	"github.com/anycl/anycl/examples/internal/onnxtest"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func TestNetworkIsTheSameAsAnONNXFile(t *testing.T) {
	t.Parallel()
	m := network(blank(2*batch), blank(batch), options{epochs: 1, seed: 1, precision: tensor.Float32})
	feeds := ops.Feeds{}
	for _, n := range m.Inputs {
		v := tensor.Must(tensor.New(n.DType(), n.Shape()...))
		for i := range v.Len() {
			v.SetFloat64(i, float64(i%(2*batch)))
		}
		feeds[n] = v
	}
	onnxtest.Same(t, m.Scores, feeds, nil)
}
