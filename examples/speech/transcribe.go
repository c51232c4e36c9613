package main

import (
	"context"
	"strings"

	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// transcriber is Moonshine, compiled for a place.
type transcriber struct {
	encoder, decoder *onnx.Program
	empty            map[string]*tensor.Tensor // keys and values of no tokens
	tokens           []string
}

// Tokens with a meaning of their own.
const (
	start = 1
	end   = 2
	pace  = 6 // most tokens a second of sound
)

func (m *models) transcriber(ctx context.Context, rt *ops.Runtime, place ops.Place) (*transcriber, error) {
	t := &transcriber{tokens: m.tokens, empty: map[string]*tensor.Tensor{}}
	o := &onnx.Options{Target: ops.Target{Place: place}, Plans: 64} // one for each length of the text so far
	var err error
	if t.encoder, err = m.encoder.Compile(ctx, rt, o); err != nil {
		return nil, err
	}
	if t.decoder, err = m.decoder.Compile(ctx, rt, o); err != nil {
		return nil, err
	}
	for _, in := range m.decoder.Inputs() {
		if strings.HasPrefix(in.Name, "past_key_values.") { // no positions yet
			t.empty[in.Name] = tensor.Must(tensor.New(in.DType, 1, in.Shape[1], 0, in.Shape[3]))
		}
	}
	return t, nil
}

// text is the recognised text of a sound.
func (t *transcriber) text(ctx context.Context, sound []float32) (string, error) {
	heard, err := t.encoder.Run(ctx, map[string]*tensor.Tensor{"input_values": tensor.Must(tensor.FromSlice(sound, 1, len(sound)))})
	if err != nil {
		return "", err
	}
	in := map[string]*tensor.Tensor{"encoder_hidden_states": heard["last_hidden_state"]}
	for name, v := range t.empty {
		in[name] = v
	}
	var said []int64
	next := int64(start)
	for i := range int(seconds(len(sound)) * pace) {
		in["input_ids"] = tensor.Must(tensor.FromSlice([]int64{next}, 1, 1))
		in["use_cache_branch"] = tensor.Must(tensor.FromSlice([]bool{i > 0}, 1))
		out, err := t.decoder.Run(ctx, in)
		if err != nil {
			return "", err
		}
		if next = best(out["logits"]); next == end {
			break
		}
		said = append(said, next)
		for name, v := range out {
			past := strings.Replace(name, "present", "past_key_values", 1)
			if past != name && (i == 0 || strings.Contains(name, "decoder")) { // those of the sound stay
				in[past] = v
			}
		}
	}
	return spell(t.tokens, said), nil
}

// best is the token of the largest score.
func best(scores *tensor.Tensor) int64 {
	at, most := 0, scores.Float64At(0)
	for i, v := range scores.All() {
		if v > most {
			at, most = i, v
		}
	}
	return int64(at)
}
