package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// layer is a node of a model: its op, and the names of its values.
type layer struct {
	op      string
	in, out []string
}

// errWire is the error of bytes that are no message.
var errWire = errors.New("not an ONNX model")

// fields calls f for each field of a message that has a length.
func fields(b []byte, f func(number protowire.Number, value []byte)) error {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return errWire
		}
		b = b[n:]
		if kind == protowire.BytesType {
			v, n := protowire.ConsumeBytes(b)
			if n < 0 {
				return errWire
			}
			f(number, v)
			b = b[n:]
			continue
		}
		if n = protowire.ConsumeFieldValue(number, kind, b); n < 0 {
			return errWire
		}
		b = b[n:]
	}
	return nil
}

// opened is a model of which the results of all nodes are outputs, and its nodes. Source of the numbers: onnx.proto.
func opened(model []byte) (data []byte, layers []layer, err error) {
	var graph []byte
	if err := fields(model, func(n protowire.Number, v []byte) {
		if n == 7 {
			graph = v
		}
	}); err != nil {
		return nil, nil, err
	}
	given, inner := map[string]bool{}, errors.Join()
	err = fields(graph, func(n protowire.Number, v []byte) {
		switch n {
		case 1:
			var l layer
			inner = errors.Join(inner, fields(v, func(n protowire.Number, v []byte) {
				switch n {
				case 1:
					l.in = append(l.in, string(v))
				case 2:
					l.out = append(l.out, string(v))
				case 4:
					l.op = string(v)
				}
			}))
			layers = append(layers, l)
		case 12:
			inner = errors.Join(inner, fields(v, func(n protowire.Number, v []byte) { given[string(v)] = given[string(v)] || n == 1 }))
		}
	})
	if err := errors.Join(err, inner); err != nil {
		return nil, nil, err
	}
	more := bytes.Clone(graph)
	for _, l := range layers {
		for _, out := range l.out {
			if out == "" || given[out] {
				continue
			}
			info := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), out)
			more = protowire.AppendBytes(protowire.AppendTag(more, 12, protowire.BytesType), info)
		}
	}
	for b := model; len(b) > 0; {
		number, kind, n := protowire.ConsumeTag(b)
		size := protowire.ConsumeFieldValue(number, kind, b[n:])
		if number != 7 {
			data = append(data, b[:n+size]...)
		}
		b = b[n+size:]
	}
	return protowire.AppendBytes(protowire.AppendTag(data, 7, protowire.BytesType), more), layers, nil
}

// grown is how far the results of a node lie from those of float64, and by how much further than its inputs.
type grown struct {
	layer
	number            int
	ours, its         float64
	oursFrom, itsFrom float64 // of its inputs, the worst
	factor            float64
}

// byLayer prints the nodes at which differences from float64 grow most. Branches that are taken are a part of the graph.
func (a *agreement) byLayer(ctx context.Context, w io.Writer) error {
	data, layers, err := opened(a.data)
	if err != nil {
		return err
	}
	m, want, err := a.rerun(data)
	if err != nil {
		return err
	}
	for {
		known := maps.Clone(want)
		maps.Copy(known, a.inputs)
		flat, found, err := inlined(data, known)
		if err != nil || !found {
			break
		}
		if flat, layers2, err := opened(flat); err == nil {
			m2, want2, err := a.rerun(flat)
			if err != nil { // names in it are those of others
				break
			}
			data, layers, m, want = flat, layers2, m2, want2
		}
	}
	target := ops.Target{Place: ops.OnCPU}
	got, err := ours(ctx, a.rt, m, a.inputs, &onnx.Options{Target: target})
	if err != nil {
		return err
	}
	exact, err := ours(ctx, a.rt, m, a.inputs, &onnx.Options{Precision: tensor.Float64, Target: target})
	if err != nil {
		return err
	}
	off := map[string][2]float64{}
	var rows []grown
	for i, l := range layers {
		g := grown{layer: l, number: i}
		for _, in := range l.in {
			g.oursFrom, g.itsFrom = max(g.oursFrom, off[in][0]), max(g.itsFrom, off[in][1])
		}
		for _, out := range l.out {
			if exact[out] == nil {
				continue
			}
			o := [2]float64{apart(got[out], exact[out]), apart(want[out], exact[out])}
			off[out] = o
			g.ours, g.its = max(g.ours, o[0]), max(g.its, o[1])
		}
		const rounding = 1e-7
		g.factor = max((g.ours+rounding)/(g.oursFrom+rounding), (g.its+rounding)/(g.itsFrom+rounding))
		rows = append(rows, g)
	}
	slices.SortStableFunc(rows, func(a, b grown) int { return cmp.Compare(b.factor, a.factor) })
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "  node\tresult\tours\tof inputs\tits\tof inputs")
	for _, g := range rows[:min(a.o.layers, len(rows))] {
		fmt.Fprintf(t, "  %d %s\t%s\t%.1e\t%.1e\t%.1e\t%.1e\n", g.number, g.op, shortened(cmp.Or(append(g.out, "")...)), g.ours, g.oursFrom,
			g.its, g.itsFrom)
	}
	return t.Flush()
}

// shortened is the end of a name that is long.
func shortened(name string) string {
	const most = 48
	if len(name) <= most {
		return name
	}
	return "..." + name[len(name)-most:]
}
