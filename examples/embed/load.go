package main

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/anycl/anycl/examples/internal/dataset"
	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/tokenizer"
)

// How TensorFlow names the weights.
const (
	kona  = "Encoder_en/KonaTransformer/Encode/"
	part  = "module_apply_default/" + kona
	stack = part + "TransformerStack/"
	whole = "/ConcatPartitions/concat"
)

// weights are those of the encoder, by name.
type weights struct{ all map[string]*tensor.Tensor }

// named is a weight. The first axes of a convolution over one place are left out.
func (w *weights) named(name string) *tensor.Tensor {
	t := w.all[name]
	if t == nil {
		panic("embed: the encoder has no weight " + name) // load has tested the file's hash
	}
	if t.Rank() == 4 {
		return tensor.Must(t.Reshape(t.Shape()[2:]...))
	}
	return t
}

// load reads the encoder: its tokens and its weights.
func load() (*tokenizer.Tokenizer, *weights, error) {
	layout, err := dataset.EncoderLayout.Read()
	if err != nil {
		return nil, nil, err
	}
	var bytes []byte
	for _, f := range dataset.EncoderWeights {
		b, err := f.Read()
		if err != nil {
			return nil, nil, err
		}
		bytes = append(bytes, b...)
	}
	w, err := parse(layout, bytes)
	if err != nil {
		return nil, nil, err
	}
	vocabulary, err := dataset.EncoderTokens.Read()
	if err != nil {
		return nil, nil, err
	}
	t, err := words(vocabulary)
	return t, w, err
}

// parse reads weights, which lie one after the other as the layout lists them.
func parse(layout, bytes []byte) (*weights, error) {
	var model struct {
		WeightsManifest []struct {
			Weights []struct {
				Name, DType string
				Shape       []int
			}
		}
	}
	if err := json.Unmarshal(layout, &model); err != nil {
		return nil, err
	}
	w := &weights{map[string]*tensor.Tensor{}}
	for _, group := range model.WeightsManifest {
		for _, x := range group.Weights {
			n := 1
			for _, d := range x.Shape {
				n *= d
			}
			if n < 0 || len(bytes) < 4*n {
				return nil, fmt.Errorf("%s is not in the files of weights", x.Name)
			}
			if x.DType == "float32" {
				values := make([]float32, n)
				for i := range values {
					values[i] = math.Float32frombits(binary.LittleEndian.Uint32(bytes[4*i:]))
				}
				t, err := tensor.FromSlice(values, x.Shape...)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", x.Name, err)
				}
				w.all[x.Name] = t
			}
			bytes = bytes[4*n:] // integers of 32 bits are shapes
		}
	}
	return w, nil
}

// words is the tokenizer: pieces of words, those whose probabilities have the largest product.
func words(vocabulary []byte) (*tokenizer.Tokenizer, error) {
	return tokenizer.Parse(slices.Concat(
		[]byte(`{"version":"1.0","normalizer":{"type":"NFKC"},"pre_tokenizer":{"type":"Metaspace","replacement":"▁","add_prefix_space":true},`),
		[]byte(`"decoder":{"type":"Metaspace","replacement":"▁","add_prefix_space":true},"model":{"type":"Unigram","unk_id":0,"vocab":`),
		vocabulary, []byte("}}")))
}

// batch is rows of tokens; rows and places without one are 0.
func batch(words *tokenizer.Tokenizer, texts []string) (*tensor.Tensor, error) {
	ids := make([]int32, rows*length)
	for i, text := range texts {
		for k, id := range words.Encode(text, tokenizer.Options{Plain: true, MaxLength: length}).IDs {
			ids[i*length+k] = int32(id)
		}
	}
	return tensor.FromSlice(ids, rows, length)
}

// sentences are the first of a text, without those of one or two words.
func sentences(text string, most int) (all []string) {
	text = strings.Join(strings.Fields(text), " ")
	for len(text) > 0 && len(all) < most {
		end := len(text)
		for _, mark := range []string{". ", "! ", "? "} {
			if i := strings.Index(text, mark); i >= 0 {
				end = min(end, i+1)
			}
		}
		s := strings.Trim(strings.TrimSpace(text[:end]), `"“”`)
		text = text[end:]
		if strings.Count(s, " ") >= 2 {
			all = append(all, s)
		}
	}
	return all
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// nearest are the vectors with the largest cosines with v; all have length 1.
func nearest(all [][]float64, v []float64, most int) []int {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(dot(all[j], v), dot(all[i], v)) })
	return order[:min(most, len(order))]
}
