package onnx

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/anycl/anycl/onnx/internal/export"
	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/ops"
)

// Output is a node that a model gives, and its name there.
type Output struct {
	Name string
	Node *ops.Node
}

// SaveOptions say how a model is written. The zero value and nil are right for most.
type SaveOptions struct {
	// Name is the name of the graph in the model; empty: the name of the graph that is written.
	Name string
	// Inputs are inputs in the order that the model is to have, also those that no output needs; others follow as they were
	// declared.
	Inputs []*ops.Node
	// Opset is the version of the operator set, 18 to 23; 0 means 21. Newer ones have more operators (Gelu from 20, GroupNormalization from
	// 21, RMSNormalization from 23), which are written as others in older ones.
	Opset int
	// Sizes are the sizes of open extents that are to be numbers in the model; the other extents stay open there.
	Sizes ops.Sizes
	// External puts weights of at least a given number of bytes into a file beside the model, with .data behind its name; 0: none
	// as long as all of them take less than 2 GB, which is as much as a file of the format holds.
	External int64
	// Metadata are texts that the model carries.
	Metadata map[string]string
}

const (
	oldestSaved, newestSaved, defaultSaved = 18, 23, 21
	// maxFile is how many bytes of weights a file may have: a little less than a message of protobuf.
	maxFile = 1<<31 - 1<<24
)

// irVersions are the versions of the file format, by the versions of the operator set.
var irVersions = map[int]int64{18: 8, 19: 9, 20: 9, 21: 10, 22: 10, 23: 11}

// Save writes the graph that computes outputs to a file, which other programs that know ONNX can load, and [Load]. Inputs,
// variables and outputs keep their names; variables become initialisers with the values that they have now. A file is there whole or not at
// all.
//
// An op that ONNX has becomes that operator; others are written as the ops that they are composed of. Ops that have neither are one error
// that names all of them with the lines that made them: kernels of the program's own, random numbers, some special functions and
// factorisations.
//
// Open extents stay open, under their names. A node that depends on them in a way that no operators of ONNX compute from shapes is an
// error: sizes for them are a way out.
//
// Errors: [ErrUnsupported] for nodes that cannot be written; sizes of names that are no open extents; duplicate names; errors of files.
func Save(ctx context.Context, path string, outputs []Output, o *SaveOptions) error {
	p, err := exported(ctx, outputs, o)
	if err == nil {
		err = writeFile(path, p, external(o))
	}
	if err != nil {
		return fmt.Errorf("onnx: save %s: %w", path, err)
	}
	return nil
}

// Write is [Save] to w, without a file beside it.
func Write(ctx context.Context, w io.Writer, outputs []Output, o *SaveOptions) error {
	p, err := exported(ctx, outputs, o)
	if err == nil {
		err = writeModel(w, p)
	}
	if err != nil {
		return fmt.Errorf("onnx: write: %w", err)
	}
	return nil
}

// Save is the function Save for the outputs of g, in the order of the model that it is of.
func (g *Graph) Save(ctx context.Context, path string, o *SaveOptions) error {
	return Save(ctx, path, g.outputs(), g.options(o))
}

// Write is the function Write for the outputs of g.
func (g *Graph) Write(ctx context.Context, w io.Writer, o *SaveOptions) error {
	return Write(ctx, w, g.outputs(), g.options(o))
}

func (g *Graph) outputs() (all []Output) {
	for _, name := range g.order {
		all = append(all, Output{name, g.Outputs[name]})
	}
	return all
}

// options are o with the inputs of g, in the order of the model.
func (g *Graph) options(o *SaveOptions) *SaveOptions {
	var all SaveOptions
	if o != nil {
		all = *o
	}
	if all.Inputs == nil {
		for _, name := range g.fed {
			all.Inputs = append(all.Inputs, g.Inputs[name])
		}
	}
	return &all
}

func external(o *SaveOptions) int64 {
	if o == nil {
		return 0
	}
	return o.External
}

// exported is the model that computes outputs.
func exported(ctx context.Context, outputs []Output, o *SaveOptions) (*model.Model, error) {
	if o == nil {
		o = &SaveOptions{}
	}
	opset := o.Opset
	if opset == 0 {
		opset = defaultSaved
	}
	if opset < oldestSaved || opset > newestSaved {
		return nil, fmt.Errorf("version %d of the operator set: those from %d to %d are written", opset, oldestSaved, newestSaved)
	}
	if len(outputs) == 0 || outputs[0].Node == nil {
		return nil, errors.New("there are no outputs")
	}
	graph := outputs[0].Node.Graph()
	var nodes []*ops.Node
	for _, out := range outputs {
		switch {
		case out.Node == nil:
			return nil, fmt.Errorf("output %q is nil", out.Name)
		case out.Node.Graph() != graph:
			return nil, fmt.Errorf("outputs %q and %q belong to two graphs", outputs[0].Name, out.Name)
		case out.Name == "":
			return nil, errors.New("an output has no name")
		}
		nodes = append(nodes, out.Node)
	}
	w := &writer{ctx: ctx, outputs: outputs, nodes: slices.Concat(nodes, o.Inputs), o: o, opset: opset}
	g, err := w.graph(graph)
	if err != nil {
		return nil, err
	}
	opsets := map[string]int64{"": int64(opset)}
	if export.UsesML(g) {
		opsets["ai.onnx.ml"] = 3
	}
	return &model.Model{IR: irVersions[opset], Producer: "anycl", Opsets: opsets, Graph: g, Metadata: o.Metadata}, nil
}
