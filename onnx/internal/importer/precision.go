package importer

import (
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// recasts reports whether values of a dtype are stored in fewer bits, or in more.
func (b *builder) recasts(dt tensor.DType) bool {
	return dt == tensor.Float32 && b.precision != tensor.Invalid && b.precision != tensor.Float32
}

// recast are the nodes of results in the precision of the builder.
func (b *builder) recast(outs []*value) {
	for _, v := range outs {
		if v != nil && v.node != nil && b.recasts(v.node.DType()) {
			v.node = ops.Cast(v.node, b.precision)
		}
	}
}

// declared is an output as the model declares it.
func (b *builder) declared(v *value, want tensor.DType) *value {
	if v.node == nil || !b.recasts(tensor.Float32) || v.node.DType() != b.precision || want == b.precision {
		return v
	}
	w := *v
	w.node, w.input = ops.Cast(v.node, tensor.Float32), ""
	return &w
}

// constantNode is a constant of the graph, in the precision of the builder.
func (b *builder) constantNode(t *tensor.Tensor) *ops.Node {
	if b.recasts(t.DType()) {
		c, err := b.m.recastWeight(t, b.precision)
		if err != nil {
			panic(refusal{err})
		}
		t = c
	}
	return b.g.Const(t)
}

// recastWeight is t converted to dt. Converted weights are kept, so that all graphs share them.
func (s *Source) recastWeight(t *tensor.Tensor, dt tensor.DType) (*tensor.Tensor, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := castKey{t, dt}
	if c := s.casts[key]; c != nil {
		return c, nil
	}
	c, err := tensor.Cast(t, dt)
	if err != nil {
		return nil, err
	}
	for _, w := range s.weights {
		if w == t {
			if s.casts == nil {
				s.casts = map[castKey]*tensor.Tensor{}
			}
			s.casts[key] = c
			break
		}
	}
	return c, nil
}

type castKey struct {
	weight *tensor.Tensor
	dtype  tensor.DType
}
