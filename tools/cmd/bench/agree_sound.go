package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// sound is the whole sentence.
func (s *scene) sound(a *agreement) (map[string]*tensor.Tensor, error) {
	sound, err := s.samples(0, 0)
	if err != nil {
		return nil, err
	}
	return single(a, tensor.Must(tensor.FromSlice(sound, 1, len(sound)))), nil
}

// voice is a frame of 32 ms, after ten others that onnxruntime has heard.
func (s *scene) voice(a *agreement) (map[string]*tensor.Tensor, error) {
	const frames, frame = 11, 512
	sound, err := s.samples(16000, frames*frame)
	if err != nil {
		return nil, err
	}
	in := map[string]*tensor.Tensor{}
	for _, i := range a.m.Inputs() {
		switch {
		case i.Name == "sr":
			in[i.Name] = tensor.Scalar(int64(16000))
		case i.Name != "input":
			in[i.Name] = tensor.Must(tensor.New(tensor.Float32, 2, 1, i.Shape[2]))
		}
	}
	next := map[string]string{"stateN": "state", "hn": "h", "cn": "c"}
	for k := range frames {
		in["input"] = tensor.Must(tensor.FromSlice(sound[k*frame:][:frame], 1, frame))
		if k == frames-1 {
			break
		}
		out, err := a.theirs(a.data, a.m, in)
		if err != nil {
			return nil, err
		}
		for from, to := range next {
			if out[from] != nil {
				in[to] = out[from]
			}
		}
	}
	return in, nil
}

// beside is the model in the folder of another, or fetched, by one of its names, and onnxruntime's outputs for its inputs.
func (a *agreement) beside(in func(*agreement) (map[string]*tensor.Tensor, error), names ...string) (map[string]*tensor.Tensor, error) {
	for _, name := range names {
		for _, path := range append([]string{filepath.Join(filepath.Dir(a.path), name)}, fetched(name)...) {
			data, err := os.ReadFile(path)
			if err != nil {
				continue
			}
			m, err := onnx.Load(path)
			if err != nil {
				return nil, err
			}
			other := &agreement{o: a.o, rt: a.rt, ort: a.ort, path: path, data: data, m: m}
			inputs, err := in(other)
			if err != nil {
				return nil, err
			}
			return a.theirs(data, m, inputs)
		}
	}
	return nil, errors.New("there is no " + strings.Join(names, " or ") + " beside it")
}

// spectrum is the output of the network before this one for the sentence.
func (s *scene) spectrum(a *agreement) (map[string]*tensor.Tensor, error) {
	mel, err := a.beside(s.sound, "melspectrogram.onnx")
	if err != nil {
		return nil, err
	}
	const frames, bands = 76, 32
	t := tensor.Must(tensor.New(tensor.Float32, 1, frames, bands, 1))
	for i := range t.Len() {
		t.SetFloat64(i, mel["output"].Float64At(100*bands+i)/10+2) // as openWakeWord does
	}
	return single(a, t), nil
}

// tokens are the state of the decoder after three tokens, which the CPU path has found.
func (s *scene) tokens(a *agreement) (map[string]*tensor.Tensor, error) {
	heard, err := a.beside(s.sound, "encoder_model.onnx", "moonshine_encoder.onnx")
	if err != nil {
		return nil, err
	}
	in := map[string]*tensor.Tensor{"encoder_hidden_states": heard["last_hidden_state"]}
	for _, i := range a.m.Inputs() {
		if strings.HasPrefix(i.Name, "past_key_values.") {
			in[i.Name] = tensor.Must(tensor.New(i.DType, 1, i.Shape[1], 0, i.Shape[3]))
		}
	}
	host := ops.NewRuntime(fallback.New(nil))
	defer host.Close()
	p, err := a.m.Compile(context.Background(), host, nil)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	next := int64(1) // the beginning
	for k := range 4 {
		in["input_ids"] = tensor.Must(tensor.FromSlice([]int64{next}, 1, 1))
		in["use_cache_branch"] = tensor.Must(tensor.FromSlice([]bool{k > 0}, 1))
		if k == 3 {
			break
		}
		out, err := p.Run(context.Background(), in)
		if err != nil {
			return nil, err
		}
		next = 0
		for i, v := range out["logits"].All() {
			if v > out["logits"].Float64At(int(next)) {
				next = int64(i)
			}
		}
		for name, v := range out {
			past := strings.Replace(name, "present", "past_key_values", 1)
			if past != name && (k == 0 || strings.Contains(name, "decoder")) {
				in[past] = v
			}
		}
	}
	return in, nil
}
