package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/anycl/anycl/examples/internal/dataset"
	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// models are those that were loaded.
type models struct {
	detector, encoder, decoder *onnx.Model
	tokens                     []string
}

func load() (*models, error) {
	m := &models{}
	for _, x := range []struct {
		file dataset.File
		to   **onnx.Model
	}{{dataset.SileroVAD, &m.detector}, {dataset.MoonshineEncoder, &m.encoder}, {dataset.MoonshineDecoder, &m.decoder}} {
		content, err := x.file.Read()
		if err != nil {
			return nil, err
		}
		if *x.to, err = onnx.Read(bytes.NewReader(content)); err != nil {
			return nil, fmt.Errorf("%s: %w", x.file.Name, err)
		}
	}
	script, err := dataset.LlamaTokens.Read()
	if err != nil {
		return nil, err
	}
	m.tokens, err = vocabulary(script)
	return m, err
}

// frame is how many samples the detector hears at a time: 32 ms.
const frame = 512

// spoken is the part of a sound in which somebody speaks, in samples. The detector carries its state from one frame to the next; it is
// small, so it runs where a runtime predicts that it is fastest.
func (m *models) spoken(ctx context.Context, rt *ops.Runtime, p *gallery.Program, sound []float32) (from, to int, err error) {
	d, err := m.detector.Compile(ctx, rt, nil)
	if err != nil {
		return 0, 0, err
	}
	defer d.Close()
	state, hertz := tensor.Must(tensor.New(tensor.Float32, 2, 1, 128)), tensor.Must(tensor.New(tensor.Int64))
	hertz.SetFloat64(0, rate)
	from = len(sound)
	for i := 0; i+frame <= len(sound); i += frame {
		out, err := d.Run(ctx, map[string]*tensor.Tensor{"input": tensor.Must(tensor.FromSlice(sound[i:i+frame], 1, frame)), "state": state,
			"sr": hertz})
		if err != nil {
			return 0, 0, err
		}
		state = out["stateN"]
		if out["output"].Float64At(0) > 0.5 {
			from, to = min(from, i), i+frame
		}
	}
	return min(from, to), to, nil
}
