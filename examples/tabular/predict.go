package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/anycl/anycl/checkpoint"
	"github.com/anycl/anycl/data"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/safetensors"
	"github.com/anycl/anycl/train"
)

// predict prints a line for each sample: the scores of both diagnoses by a network that learn has saved.
func predict(ctx context.Context, rt *ops.Runtime, o options, out io.Writer) error {
	x, y, err := load()
	if err != nil {
		return err
	}
	all, err := data.TensorLoader(data.LoaderOptions{Batch: 256}, x, y)
	if err != nil {
		return err
	}
	columns := x.Shape()[1]
	n := build(&data.Standard{Mean: make([]float64, columns), Deviation: make([]float64, columns)}, 0)
	if err := restore(ctx, filepath.Join(o.dir, "network.safetensors"), n); err != nil {
		return err
	}
	scores, err := train.Predict(ctx, rt, &train.Model{Inputs: []*ops.Node{n.x, n.y}, Scores: n.Eval().Apply(n.scaled)}, all)
	if err != nil {
		return err
	}
	for i := range y.Len() {
		fmt.Fprintf(out, "%d %v %v\n", i, scores.Float64At(2*i), scores.Float64At(2*i+1))
	}
	return nil
}

// restore gives the network the weights, and the scale, in a file.
func restore(ctx context.Context, path string, n *network) error {
	saved, err := safetensors.Open(path)
	if err != nil {
		return err
	}
	defer saved.Close()
	_, err = checkpoint.LoadWeights(ctx, saved, n.variables, nil)
	return err
}
