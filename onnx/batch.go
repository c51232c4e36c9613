package onnx

import (
	"errors"
	"fmt"
	"slices"
)

// OpenBatch returns the model with the first extents of its inputs and outputs open and called "batch", where it was exported for a batch
// of one. The shapes that Reshape was given with such a 1 in front have the size of the batch in its place. That is right where
// operators treat the rows of a batch alike and alone, as those of most networks do, and the file does not say it: compare the rows of a
// batch with runs of single ones, as package serve does. Errors: an input or output has no axes, or another first extent.
func (m *Model) OpenBatch() (*Model, error) {
	open := func(infos []Info) (all []Info, err error) {
		for _, in := range infos {
			switch {
			case in.Shape == nil && len(in.Dims) == 0:
			case len(in.Shape) == 0:
				err = errors.Join(err, fmt.Errorf("onnx: %q has no axes", in.Name))
			case in.Shape[0] != 1 && in.Shape[0] != -1:
				err = errors.Join(err, fmt.Errorf("onnx: the first extent of %q is %d, not 1", in.Name, in.Shape[0]))
			default:
				in.Shape, in.Dims = slices.Clone(in.Shape), slices.Clone(in.Dims)
				in.Shape[0], in.Dims[0] = -1, "batch"
			}
			all = append(all, in)
		}
		return all, err
	}
	inputs, err := open(m.inputs)
	outputs, err2 := open(m.outputs)
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	return &Model{m: m.m, source: m.source.With(ports(inputs), ports(outputs)), inputs: inputs, outputs: outputs, opened: true}, nil
}

// rows is the extent of the batch, where it was opened; else 0.
func (m *Model) rows(shapes map[string][]int) int {
	if !m.opened || len(m.inputs) == 0 || len(shapes[m.inputs[0].Name]) == 0 {
		return 0
	}
	return shapes[m.inputs[0].Name][0]
}
