package onnx

import (
	"fmt"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// checkPrecision refuses what is no precision.
func checkPrecision(dt tensor.DType) error {
	switch dt {
	case tensor.Invalid, tensor.Float32, tensor.Float16, tensor.BFloat16:
		return nil
	}
	return fmt.Errorf("onnx: the precision %v is not float32, float16 or bfloat16", dt)
}

// narrows reports whether values of a dtype are stored in fewer bits.
func (b *builder) narrows(dt tensor.DType) bool {
	return dt == tensor.Float32 && (b.precision == tensor.Float16 || b.precision == tensor.BFloat16)
}

// narrowed are the nodes of results in the precision of the builder.
func (b *builder) narrowed(outs []*value) {
	for _, v := range outs {
		if v != nil && v.node != nil && b.narrows(v.node.DType()) {
			v.node = ops.Cast(v.node, b.precision)
		}
	}
}

// widened is an output as the model declares it.
func (b *builder) widened(v *value, want tensor.DType) *value {
	if v.node == nil || !b.narrows(tensor.Float32) || v.node.DType() != b.precision || want == b.precision {
		return v
	}
	w := *v
	w.node, w.input = ops.Cast(v.node, tensor.Float32), ""
	return &w
}

// constantNode is a constant of the graph, in the precision of the builder.
func (b *builder) constantNode(t *tensor.Tensor) *ops.Node {
	if b.narrows(t.DType()) {
		narrow, err := b.m.narrowWeight(t, b.precision)
		if err != nil {
			panic(refusal{err})
		}
		t = narrow
	}
	return b.g.Const(t)
}

// narrowWeight is t in 16 bits; that of a weight is kept, so that all graphs have the same.
func (m *Model) narrowWeight(t *tensor.Tensor, dt tensor.DType) (*tensor.Tensor, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := narrowKey{t, dt}
	if n := m.narrow[key]; n != nil {
		return n, nil
	}
	n, err := tensor.Cast(t, dt)
	if err != nil {
		return nil, err
	}
	for _, w := range m.weights {
		if w == t {
			if m.narrow == nil {
				m.narrow = map[narrowKey]*tensor.Tensor{}
			}
			m.narrow[key] = n
			break
		}
	}
	return n, nil
}

type narrowKey struct {
	weight *tensor.Tensor
	dtype  tensor.DType
}
