package main

import (
	"testing"

	"github.com/anycl/anycl/examples/internal/onnxtest"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func TestNetworkIsTheSameAsAnONNXFile(t *testing.T) {
	t.Parallel()
	g := ops.NewGraph("upscale")
	net := build(g, 1)
	low := g.Input("low", tensor.Float32, ops.Dim("n"), 1, ops.Dim("h"), ops.Dim("w"))
	_, better := net.enlarge(net.Eval(), low)
	x := tensor.Must(tensor.New(tensor.Float32, 2, 1, 12, 9))
	for i := range x.Len() {
		x.SetFloat64(i, float64(i%17)/17)
	}
	onnxtest.Same(t, better, ops.Feeds{low: x}, ops.Sizes{"n": 2, "h": 12, "w": 9})
}
