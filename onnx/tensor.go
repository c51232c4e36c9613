package onnx

import (
	"fmt"

	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/tensor"
)

// ElementTypeError is the error of an element type that package tensor does not have: strings, complex numbers, floats of 8
// bits and fewer, integers of 4 bits and fewer.
type ElementTypeError = model.ElementTypeError

// DecodeTensor decodes a file that holds one tensor, a TensorProto, as those of the test data of ONNX do. Errors are
// [ErrFormat], or an [ElementTypeError].
func DecodeTensor(b []byte) (name string, t *tensor.Tensor, err error) {
	p, err := model.DecodeTensor(b)
	if err == nil {
		t, err = p.Tensor(nil)
	}
	if err != nil {
		return "", nil, fmt.Errorf("onnx: %w: %w", ErrFormat, err)
	}
	return p.Name, t, nil
}

// EncodeTensor encodes t as a file that holds one tensor, which [DecodeTensor] reads. Errors: ONNX has no such element type.
func EncodeTensor(name string, t *tensor.Tensor) ([]byte, error) {
	p, err := model.FromTensor(name, t)
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	return model.EncodeTensor(p), nil
}
