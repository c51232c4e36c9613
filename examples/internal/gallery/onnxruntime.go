package gallery

import (
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/anycl/anycl/tensor"
)

//go:embed onnxruntime.js
var onnxruntimeScript []byte

// BesideONNXRuntime runs an ONNX model in onnxruntime, with as many threads as Go uses, and returns its outputs by name, or nil
// where it is not installed: the npm package onnxruntime-node, in a folder that NODE_PATH names, or where bench/setup.sh puts it.
// As Beside, it does so where -peer asks for it, for the work that Both did last.
func (p *Program) BesideONNXRuntime(ctx context.Context, model []byte, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor,
	error) {
	if !p.Peers {
		return nil, nil
	}
	type value struct {
		Type string `json:"type"`
		Dims []int  `json:"dims"`
		Data string `json:"data"` // as it lies in memory, in base64
	}
	spec := struct {
		Threads int              `json:"threads"`
		Inputs  map[string]value `json:"inputs"`
	}{runtime.GOMAXPROCS(0), map[string]value{}}
	for name, t := range inputs {
		b, ok := t.Contiguous().Bytes()
		if !ok {
			return nil, fmt.Errorf("onnxruntime: %q is not in memory", name)
		}
		spec.Inputs[name] = value{t.DType().String(), t.Shape(), base64.StdEncoding.EncodeToString(b)}
	}
	text, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	paths := os.Getenv("NODE_PATH")
	if p.folder != "" {
		paths += string(filepath.ListSeparator) + filepath.Join(p.folder, "..", "..", "bench", ".peers", "node_modules")
	}
	peer := Peer{
		Name: "onnxruntime", Command: []string{"node", "onnxruntime.js"}, Env: []string{"NODE_PATH=" + paths},
		Files: map[string]any{"onnxruntime.js": onnxruntimeScript, "model.onnx": model, "spec.json": text},
	}
	var results map[string]value
	if there, err := p.Beside(ctx, peer, &results); err != nil || !there {
		return nil, err
	}
	outputs := map[string]*tensor.Tensor{}
	for name, v := range results {
		dt, err := tensor.ParseDType(v.Type)
		if err != nil {
			return nil, fmt.Errorf("onnxruntime: %q: %w", name, err)
		}
		b, err := base64.StdEncoding.DecodeString(v.Data)
		if err != nil {
			return nil, fmt.Errorf("onnxruntime: %q: %w", name, err)
		}
		t, err := tensor.New(dt, v.Dims...)
		if err != nil {
			return nil, fmt.Errorf("onnxruntime: %q: %w", name, err)
		}
		to, _ := t.Bytes() // a new tensor is contiguous
		copy(to, b)
		outputs[name] = t
	}
	return outputs, nil
}

// Apart is the largest difference of two tensors as a part of the largest magnitude in the second; infinite where their shapes
// differ or something is not a number.
func Apart(got, want *tensor.Tensor) float64 {
	if got == nil || want == nil || !tensor.EqualShapes(got.Shape(), want.Shape()) {
		return Farthest([]float64{0}, nil)
	}
	a, b := make([]float64, 0, got.Len()), make([]float64, 0, want.Len())
	size := 0.0
	for i, v := range want.All() {
		a, b = append(a, got.Float64At(i)), append(b, v)
		size = max(size, v, -v)
	}
	if most := Farthest(a, b); most > 0 {
		return most / size
	}
	return 0
}
