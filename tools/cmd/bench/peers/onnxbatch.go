package peers

import (
	"encoding/binary"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// Field numbers of onnx.proto that a batch of another size changes, or that lead there.
const (
	modelGraph                                                           = 7
	graphNode, graphInitializer, graphInput, graphOutput, graphValueInfo = 1, 5, 11, 12, 13
	nodeInput, nodeOutput, nodeOp, nodeAttribute, attributeTensor        = 1, 2, 4, 5, 5
	tensorInt64s, tensorName, tensorRaw                                  = 7, 8, 9
	portName, portType, typeTensor, tensorShape, shapeDim, dimValue      = 1, 2, 1, 2, 1, 1
)

// Rebatched returns a model that was exported for a batch of one as one for a batch of n: the first extents of its inputs and outputs,
// and those of the constants that Reshape is given, are n where they were 1. This is what onnx.Model.OpenBatch does, with the same bound:
// operators must treat the rows of a batch alike and alone.
func Rebatched(data []byte, n int) ([]byte, error) {
	return eachField(data, modelGraph, func(graph []byte) ([]byte, error) { return rebatchedGraph(graph, n) })
}

func rebatchedGraph(graph []byte, n int) ([]byte, error) {
	constants, shapes := map[string]bool{}, map[string]bool{}
	if _, err := eachField(graph, graphInitializer, func(t []byte) ([]byte, error) {
		constants[textOf(t, tensorName)] = true
		return t, nil
	}); err != nil {
		return nil, err
	}
	if _, err := eachField(graph, graphNode, func(node []byte) ([]byte, error) {
		if textOf(node, nodeOp) == "Reshape" {
			shapes[lastTextOf(node, nodeInput)] = true
		}
		return node, nil
	}); err != nil {
		return nil, err
	}
	port := func(v []byte) ([]byte, error) {
		if constants[textOf(v, portName)] {
			return v, nil // files of old versions list constants among the inputs
		}
		return rebatchedPort(v, n)
	}
	shape := func(t []byte) ([]byte, error) { return rebatchedShape(t, n) }
	for _, step := range []struct {
		field protowire.Number
		edit  func([]byte) ([]byte, error)
	}{
		{graphInput, port}, {graphOutput, port}, {graphValueInfo, nil},
		{graphInitializer, func(t []byte) ([]byte, error) {
			if !shapes[textOf(t, tensorName)] {
				return t, nil
			}
			return shape(t)
		}},
		{graphNode, func(node []byte) ([]byte, error) {
			if textOf(node, nodeOp) != "Constant" || !shapes[textOf(node, nodeOutput)] {
				return node, nil
			}
			return eachField(node, nodeAttribute, func(a []byte) ([]byte, error) { return eachField(a, attributeTensor, shape) })
		}},
	} {
		var err error
		if graph, err = eachField(graph, step.field, step.edit); err != nil {
			return nil, err
		}
	}
	return graph, nil
}

// rebatchedPort changes the first extent of an input or output.
func rebatchedPort(v []byte, n int) ([]byte, error) {
	inType := func(t []byte) ([]byte, error) {
		return eachField(t, typeTensor, func(t []byte) ([]byte, error) {
			return eachField(t, tensorShape, func(s []byte) ([]byte, error) {
				first := true
				return eachField(s, shapeDim, func(d []byte) ([]byte, error) {
					if !first {
						return d, nil
					}
					first = false
					m := &message{}
					m.number(dimValue, int64(n))
					return m.b, nil
				})
			})
		})
	}
	return eachField(v, portType, inType)
}

// rebatchedShape changes the first number of a tensor of int64 where it is 1.
func rebatchedShape(t []byte, n int) ([]byte, error) {
	t, err := eachField(t, tensorRaw, func(raw []byte) ([]byte, error) {
		if len(raw) < 8 || binary.LittleEndian.Uint64(raw) != 1 {
			return raw, nil
		}
		return append(binary.LittleEndian.AppendUint64(nil, uint64(n)), raw[8:]...), nil
	})
	if err != nil {
		return nil, err
	}
	return eachField(t, tensorInt64s, func(packed []byte) ([]byte, error) {
		v, size := protowire.ConsumeVarint(packed)
		if size < 0 || v != 1 {
			return packed, protowire.ParseError(min(size, 0))
		}
		return append(protowire.AppendVarint(nil, uint64(n)), packed[size:]...), nil
	})
}

// eachField returns a message with each occurrence of a field of bytes edited, or left out where edit is nil.
func eachField(b []byte, field protowire.Number, edit func([]byte) ([]byte, error)) ([]byte, error) {
	var out []byte
	for len(b) > 0 {
		number, kind, size := protowire.ConsumeField(b)
		if size < 0 {
			return nil, fmt.Errorf("onnxruntime: a model: %w", protowire.ParseError(size))
		}
		whole := b[:size]
		b = b[size:]
		if number != field || kind != protowire.BytesType {
			out = append(out, whole...)
			continue
		}
		if edit == nil {
			continue
		}
		_, _, tag := protowire.ConsumeTag(whole)
		v, _ := protowire.ConsumeBytes(whole[tag:])
		v, err := edit(v)
		if err != nil {
			return nil, err
		}
		out = protowire.AppendBytes(protowire.AppendTag(out, number, protowire.BytesType), v)
	}
	return out, nil
}

// textOf is the first text of a field.
func textOf(b []byte, field protowire.Number) string { return textsOf(b, field)[0] }

// lastTextOf is the last text of a field.
func lastTextOf(b []byte, field protowire.Number) string {
	all := textsOf(b, field)
	return all[len(all)-1]
}

// textsOf are the texts of a field, or an empty one where there is none.
func textsOf(b []byte, field protowire.Number) (all []string) {
	_, _ = eachField(b, field, func(v []byte) ([]byte, error) {
		all = append(all, string(v))
		return v, nil
	})
	if len(all) == 0 {
		return []string{""}
	}
	return all
}
