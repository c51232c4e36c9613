package gallery

import (
	"bytes"
	"context"
	"fmt"

	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Outputs are the outputs of an ONNX model on one engine, by name.
type Outputs = Result[map[string]*tensor.Tensor]

// Model is an ONNX model of others. Show the result of Run first, and then call Times: a device's kernels may take a minute to compile.
type Model struct {
	// Skip is an output that onnxruntime is known to have wrong, which is not compared with it.
	Skip string

	p     *Program
	rt    *ops.Runtime
	model *onnx.Model
	file  []byte
	at    *onnx.Program
	in    map[string]*tensor.Tensor // of the last run
}

// OpenModel reads a model, given as the bytes of its file. Runs do not wait for the device's kernels, which are compiled beside them.
func OpenModel(ctx context.Context, p *Program, rt *ops.Runtime, file []byte) (*Model, error) {
	m, err := onnx.Read(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	at, err := m.Compile(ctx, rt, &onnx.Options{Target: ops.Target{Start: ops.AtOnce}})
	return &Model{p: p, rt: rt, model: m, file: file, at: at}, err
}

// Outputs are the model's, in its order.
func (m *Model) Outputs() []onnx.Info { return m.model.Outputs() }

// Run computes the outputs of inputs in the model's order.
func (m *Model) Run(ctx context.Context, inputs ...*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	if len(m.model.Inputs()) != len(inputs) {
		return nil, fmt.Errorf("the model takes %d inputs, not %d", len(m.model.Inputs()), len(inputs))
	}
	m.in = map[string]*tensor.Tensor{}
	for i, x := range m.model.Inputs() {
		m.in[x.Name] = inputs[i]
	}
	return m.at.Run(ctx, m.in)
}

// Times is Both for the last run. Beside it, with -peer, runs onnxruntime; it is a check that no output of an engine is farther
// from onnxruntime's than within, as a part of the largest element.
func (m *Model) Times(ctx context.Context, w Work, within float64) ([]Outputs, error) {
	if err := m.at.Close(); err != nil { // the compiled kernels stay cached for other graphs
		return nil, err
	}
	results, err := Both(ctx, m.p, m.rt, w, func(place ops.Place) (func(context.Context) (map[string]*tensor.Tensor, error), error) {
		net, err := m.model.Compile(ctx, m.rt, &onnx.Options{Target: ops.Target{Place: place}})
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (map[string]*tensor.Tensor, error) { return net.Run(ctx, m.in) }, nil
	})
	if err != nil {
		return nil, err
	}
	theirs, err := m.p.BesideONNXRuntime(ctx, m.file, m.in)
	if err != nil || theirs == nil {
		return results, err
	}
	for _, r := range results {
		worst := 0.0
		for name, t := range theirs {
			if name == m.Skip {
				continue
			}
			worst = max(worst, Apart(r.Value[name], t))
		}
		m.p.Check(worst < within, "%s: the outputs of %s are those of onnxruntime within %.1e of the largest", w.Name, r.Where, worst)
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
