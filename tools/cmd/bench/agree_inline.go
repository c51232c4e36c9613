package main

import (
	"bytes"
	"errors"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/tensor"
)

// rerun reads a model made of that of the agreement, and runs it in onnxruntime.
func (a *agreement) rerun(data []byte) (*onnx.Model, map[string]*tensor.Tensor, error) {
	m, err := onnx.Read(bytes.NewReader(data))
	if err != nil {
		return nil, nil, err
	}
	want, err := a.theirs(data, m, a.inputs)
	return m, want, err
}

// inlined replaces each If of the graph whose condition is known by the branch that is taken, and reports whether there is one.
func inlined(model []byte, known map[string]*tensor.Tensor) (data []byte, found bool, err error) {
	var graph, more []byte
	if err := fields(model, func(n protowire.Number, v []byte) {
		if n == 7 {
			graph = v
		} else {
			data = field(data, n, v)
		}
	}); err != nil {
		return nil, false, err
	}
	var inner error
	err = fields(graph, func(n protowire.Number, v []byte) {
		if n == 1 {
			if nodes, ok, err := taken(v, known); ok {
				more, found, inner = append(more, nodes...), true, errors.Join(inner, err)
				return
			}
		}
		more = field(more, n, v)
	})
	// The number of the format is the one field without a length that matters.
	data = protowire.AppendVarint(protowire.AppendTag(data, 1, protowire.VarintType), version(model))
	return field(data, 7, more), found, errors.Join(err, inner)
}

func field(b []byte, n protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), v)
}

// version is that of the format of a model.
func version(model []byte) uint64 {
	for b := model; len(b) > 0; {
		number, kind, n := protowire.ConsumeTag(b)
		if number == 1 && kind == protowire.VarintType {
			v, _ := protowire.ConsumeVarint(b[n:])
			return v
		}
		if n < 0 {
			break
		}
		size := protowire.ConsumeFieldValue(number, kind, b[n:])
		if size < 0 {
			break
		}
		b = b[n+size:]
	}
	return 8
}

// taken are the nodes and initialisers of the branch of a node that is taken, as fields of a graph.
func taken(node []byte, known map[string]*tensor.Tensor) (graph []byte, ok bool, err error) {
	var op string
	var in, out []string
	branches := map[string][]byte{}
	err = fields(node, func(n protowire.Number, v []byte) {
		switch n {
		case 1:
			in = append(in, string(v))
		case 2:
			out = append(out, string(v))
		case 4:
			op = string(v)
		case 5:
			var name string
			var g []byte
			if fields(v, func(n protowire.Number, v []byte) {
				switch n {
				case 1:
					name = string(v)
				case 6:
					g = v
				}
			}) == nil {
				branches[name] = g
			}
		}
	})
	if err != nil || op != "If" || len(in) != 1 || known[in[0]] == nil {
		return nil, false, err
	}
	name := "else_branch"
	if known[in[0]].Float64At(0) != 0 {
		name = "then_branch"
	}
	var results []string
	err = fields(branches[name], func(n protowire.Number, v []byte) {
		switch n {
		case 1, 5, 15: // nodes, initialisers, sparse ones
			graph = field(graph, n, v)
		case 12:
			err = errors.Join(err, fields(v, func(n protowire.Number, v []byte) {
				if n == 1 {
					results = append(results, string(v))
				}
			}))
		}
	})
	for i, name := range out {
		if name != "" && i < len(results) && name != results[i] {
			identity := field(field(field(nil, 1, []byte(results[i])), 2, []byte(name)), 4, []byte("Identity"))
			graph = field(graph, 1, identity)
		}
	}
	return graph, true, err
}
