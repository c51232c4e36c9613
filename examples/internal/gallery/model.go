package gallery

import (
	"bytes"
	"context"
	"fmt"

	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Outputs are what an ONNX model made on one engine, by name.
type Outputs = Result[map[string]*tensor.Tensor]

// Model is Both for a work that is a run of an ONNX model, given as the bytes of its file, on inputs in the model's order. Beside it, with -peer, runs
// onnxruntime; it is a check that no output of an engine is farther from onnxruntime's than within, as a part of the largest element.
func Model(ctx context.Context, p *Program, rt *ops.Runtime, w Work, within float64, file []byte, inputs ...*tensor.Tensor) ([]Outputs, error) {
	m, err := onnx.Read(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	if len(m.Inputs()) != len(inputs) {
		return nil, fmt.Errorf("the model takes %d inputs, not %d", len(m.Inputs()), len(inputs))
	}
	in := map[string]*tensor.Tensor{}
	for i, x := range m.Inputs() {
		in[x.Name] = inputs[i]
	}
	results, err := Both(ctx, p, rt, w, func(place ops.Place) (func(context.Context) (map[string]*tensor.Tensor, error), error) {
		net, err := m.Compile(ctx, rt, &onnx.Options{Target: ops.Target{Place: place}})
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (map[string]*tensor.Tensor, error) { return net.Run(ctx, in) }, nil
	})
	if err != nil {
		return nil, err
	}
	theirs, err := p.BesideONNXRuntime(ctx, file, in)
	if err != nil || theirs == nil {
		return results, err
	}
	for _, r := range results {
		worst := 0.0
		for name, t := range theirs {
			worst = max(worst, Apart(r.Value[name], t))
		}
		p.Check(worst < within, "%s: the outputs of %s are those of onnxruntime within %.1e of the largest", w.Name, r.Where, worst)
	}
	return results, nil
}

// Only is the output of a model that has one.
func Only(outputs map[string]*tensor.Tensor) *tensor.Tensor {
	for _, t := range outputs {
		return t
	}
	return nil
}
