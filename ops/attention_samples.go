package ops

import "github.com/anycl/anycl/tensor"

// attentionSamples cover shapes, masks and what a row can be without.
func attentionSamples() []Sample {
	return []Sample{
		attentionCase("square", []int{2, 3, 16, 8}, []int{2, 3, 16, 8}, nil, AttentionOptions{}),
		attentionCase("odd", []int{3, 37, 5}, []int{3, 71, 5}, []int{3, 71, 9}, AttentionOptions{}),
		attentionCase("no batch", []int{19, 33}, []int{90, 33}, nil, AttentionOptions{Scale: 0.3}),
		attentionCase("one query", []int{2, 4, 1, 64}, []int{2, 4, 75, 64}, nil, AttentionOptions{Causal: true}),
		attentionCase("one key", []int{2, 5, 7}, []int{2, 1, 7}, []int{2, 1, 1}, AttentionOptions{}),
		attentionCase("causal", []int{2, 2, 67, 16}, []int{2, 2, 67, 16}, nil, AttentionOptions{Causal: true}),
		attentionCase("causal, keys before", []int{2, 5, 8}, []int{2, 40, 8}, nil, AttentionOptions{Causal: true}),
		attentionCase("causal, queries without keys", []int{1, 40, 8}, []int{1, 33, 8}, nil, AttentionOptions{Causal: true}),
		attentionCase("window", []int{2, 70, 4}, []int{2, 70, 4}, nil, AttentionOptions{Window: 5}),
		attentionCase("causal window", []int{1, 2, 70, 4}, []int{1, 2, 75, 4}, nil, AttentionOptions{Window: 9, Causal: true}),
		attentionCase("grouped queries", []int{2, 6, 9, 8}, []int{2, 2, 11, 8}, nil, AttentionOptions{Causal: true}),
		attentionCase("one head of keys", []int{2, 3, 9, 8}, []int{2, 1, 11, 8}, []int{2, 1, 11, 6}, AttentionOptions{}),
		attentionCase("keys of all batches", []int{3, 4, 5, 8}, []int{2, 7, 8}, nil, AttentionOptions{}),
		attentionCase("queries of all batches", []int{4, 5, 8}, []int{3, 1, 7, 8}, []int{3, 4, 7, 2}, AttentionOptions{}),
		attentionCase("no keys", []int{2, 3, 4}, []int{2, 0, 4}, nil, AttentionOptions{}),
		attentionCase("no queries", []int{2, 0, 4}, []int{2, 3, 4}, nil, AttentionOptions{}),
		masked("bool mask", []int{2, 3, 18, 8}, []int{2, 3, 35, 8}, Operand{Shape: []int{18, 35}, DType: tensor.Bool}),
		masked("padding", []int{2, 3, 18, 8}, []int{2, 3, 35, 8}, Operand{Shape: []int{2, 1, 1, 35}, DType: tensor.Bool}),
		masked("rows without keys", []int{2, 18, 8}, []int{2, 9, 8}, Operand{Shape: []int{18, 1}, DType: tensor.Bool}),
		masked("additive mask", []int{2, 4, 18, 8}, []int{2, 2, 35, 8}, Operand{Shape: []int{4, 18, 35}}),
		masked("bias of keys", []int{2, 18, 8}, []int{2, 35, 8}, Operand{Shape: []int{35}}),
		attentionCase("few queries", []int{2, 3, 4, 8}, []int{2, 3, 90, 8}, nil, AttentionOptions{Causal: true}),
		attentionCase("few queries of a window", []int{3, 3, 8}, []int{3, 90, 8}, []int{3, 90, 5}, AttentionOptions{Causal: true, Window: 20}),
		attentionCase("single queries that share keys", []int{2, 6, 1, 8}, []int{2, 2, 90, 8}, []int{2, 2, 90, 3}, AttentionOptions{Causal: true}),
		attentionCase("few queries that share keys", []int{2, 6, 2, 8}, []int{3, 90, 8}, nil, AttentionOptions{Causal: true, Window: 60}),
		masked("mask of a single query", []int{2, 4, 1, 8}, []int{2, 2, 90, 8}, Operand{Shape: []int{4, 1, 90}, DType: tensor.Bool}),
		masked("bias of few queries", []int{2, 4, 2, 8}, []int{2, 2, 90, 8}, Operand{Shape: []int{4, 2, 90}}),
		headsLast("heads last", []int{2, 9, 3, 8}, []int{2, 21, 3, 8}),
	}
}

func attentionCase(label string, q, k, v []int, o AttentionOptions) Sample {
	if v == nil {
		v = k
	}
	return Sample{
		Label: label, Operands: []Operand{{Shape: q}, {Shape: k}, {Shape: v}}, Attr: o,
		Build: func(in []*Node) *Node {
			o := o
			if len(in) > 3 {
				o.Mask = in[3]
			}
			return Attention(in[0], in[1], in[2], &o)
		},
	}
}

func masked(label string, q, k []int, mask Operand) Sample {
	s := attentionCase(label, q, k, nil, AttentionOptions{})
	s.Operands = append(s.Operands, mask)
	return s
}

// headsLast reads operands [B, L, H, D], as they come out of a dense layer.
func headsLast(label string, q, k []int) Sample {
	s := attentionCase(label, q, k, nil, AttentionOptions{Causal: true})
	s.Through = func(in []*Node) []*Node {
		var out []*Node
		for _, x := range in {
			out = append(out, Transpose(x, 0, 2, 1, 3))
		}
		return out
	}
	return s
}
