package ops

import (
	"github.com/anycl/anycl/internal/ram"
	"github.com/anycl/anycl/tensor"
)

// newOutputs makes tensors that a run can fill.
func (x *Executable) newOutputs() ([]*tensor.Tensor, error) {
	outs := make([]*tensor.Tensor, len(x.outs))
	for i, o := range x.outs {
		t, err := newOutput(o.dtype, o.shape)
		if err != nil {
			return nil, err
		}
		outs[i] = t
	}
	return outs, nil
}

// newOutput makes a tensor that holds anything.
func newOutput(dt tensor.DType, shape []int) (*tensor.Tensor, error) {
	n, err := tensor.NumElems(shape)
	if n *= dt.Size(); err != nil || n < ram.RecycleFrom || ram.Check(int64(n)) != nil {
		return tensor.New(dt, shape...)
	}
	return tensor.FromBytes(dt, ram.Recycled(n, tensor.Alignment), shape...)
}
