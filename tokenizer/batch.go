package tokenizer

import (
	"fmt"

	"github.com/anycl/anycl/tensor"
)

// BatchOptions say how texts are put together.
type BatchOptions struct {
	MaxLength int  // as of Options
	Plain     bool // as of Options
	// Multiple makes the length a multiple of it, also where MaxLength is none, so that a program meets few lengths; 0: the length is that of
	// the longest text.
	Multiple int
	// Pairs are second texts, as many as there are first ones; nil: there are none.
	Pairs []string
}

// Batch is texts as models read them: int64 tensors of a row for each text, filled up at the end.
type Batch struct {
	IDs   *tensor.Tensor
	Mask  *tensor.Tensor // 1 where there is an id, 0 where rows are filled up
	Types *tensor.Tensor // 0 for the first text, 1 for the second
}

// Batch encodes texts and puts them together. Errors: there are not as many pairs as texts.
func (t *Tokenizer) Batch(texts []string, o BatchOptions) (*Batch, error) {
	if o.Pairs != nil && len(o.Pairs) != len(texts) {
		return nil, fmt.Errorf("tokenizer: %d pairs for %d texts", len(o.Pairs), len(texts))
	}
	all := make([]Encoding, len(texts))
	length := 0
	for i, text := range texts {
		eo := Options{MaxLength: o.MaxLength, Plain: o.Plain}
		if o.Pairs != nil {
			all[i] = t.EncodePair(text, o.Pairs[i], eo)
		} else {
			all[i] = t.Encode(text, eo)
		}
		length = max(length, len(all[i].IDs))
	}
	if o.Multiple > 1 {
		length = (length + o.Multiple - 1) / o.Multiple * o.Multiple
	}
	ids, mask, types := make([]int64, len(texts)*length), make([]int64, len(texts)*length), make([]int64, len(texts)*length)
	for i := range ids {
		ids[i] = int64(t.pad)
	}
	for i, e := range all {
		for k, id := range e.IDs {
			ids[i*length+k], mask[i*length+k], types[i*length+k] = int64(id), 1, int64(e.Types[k])
		}
	}
	b := &Batch{}
	for to, data := range map[**tensor.Tensor][]int64{&b.IDs: ids, &b.Mask: mask, &b.Types: types} {
		x, err := tensor.FromSlice(data, len(texts), length)
		if err != nil {
			return nil, err
		}
		*to = x
	}
	return b, nil
}

// Feeds are the tensors by the names that exported models give them. Drop those that a model does not have.
func (b *Batch) Feeds() map[string]*tensor.Tensor {
	return map[string]*tensor.Tensor{"input_ids": b.IDs, "attention_mask": b.Mask, "token_type_ids": b.Types}
}
