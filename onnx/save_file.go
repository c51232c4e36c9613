package onnx

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/anycl/anycl/internal/wholefile"
	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/tensor"
)

// pageSize is a multiple of where weights begin in a file beside a model, so that programs can map them into memory.
const pageSize = 4096

// writeModel writes p as one file.
func writeModel(w io.Writer, p *model.Model) error {
	var bytes int64
	for _, t := range p.Graph.Initializers {
		bytes += int64(len(t.Raw))
	}
	if bytes > maxFile {
		return fmt.Errorf("weights of %d bytes do not fit into one file of the format: save them with SaveOptions.External", bytes)
	}
	_, err := w.Write(model.Encode(p))
	return err
}

// writeFile writes p to path, and weights of at least the given number of bytes to a file beside it. The weights come first: a model is
// never there without them.
func writeFile(path string, p *model.Model, least int64) error {
	var bytes int64
	for _, t := range p.Graph.Initializers {
		bytes += int64(len(t.Raw))
	}
	if least <= 0 && bytes > maxFile {
		least = 1 << 10
	}
	if least > 0 {
		c := *p
		g := *p.Graph
		c.Graph = &g
		p = &c
		beside := filepath.Base(path) + ".data"
		err := wholefile.Write(path+".data", func(w io.Writer) (err error) {
			g.Initializers, err = apart(w, g.Initializers, least, beside)
			return err
		}, nil)
		if err != nil {
			return err
		}
	}
	return wholefile.Write(path, func(w io.Writer) error { return writeModel(w, p) }, nil)
}

// apart writes the data of large tensors to w and returns all, those with where their data are.
func apart(w io.Writer, all []*model.Tensor, least int64, location string) (out []*model.Tensor, err error) {
	var at int64
	for _, t := range all {
		if !t.HasRaw || int64(len(t.Raw)) < least {
			out = append(out, t)
			continue
		}
		if gap := (pageSize - at%pageSize) % pageSize; gap > 0 {
			if _, err := w.Write(make([]byte, gap)); err != nil {
				return nil, err
			}
			at += gap
		}
		if _, err := w.Write(t.Raw); err != nil {
			return nil, err
		}
		out = append(out, &model.Tensor{Name: t.Name, Type: t.Type, Dims: t.Dims, External: map[string]string{
			"location": location, "offset": strconv.FormatInt(at, 10), "length": strconv.Itoa(len(t.Raw)),
		}})
		at += int64(len(t.Raw))
	}
	return out, nil
}

// Save writes the model again, with other values of initialisers: those of weights, by name, as after a training. Nodes, shapes,
// functions and all other parts of the model stay as they are. Errors: a weight that the model does not have, or of another shape or
// dtype; those of files.
func (m *Model) Save(path string, weights map[string]*tensor.Tensor, o *SaveOptions) error {
	p, err := m.withWeights(weights)
	if err == nil {
		if o != nil && o.Metadata != nil {
			p.Metadata = o.Metadata
		}
		err = writeFile(path, p, external(o))
	}
	if err != nil {
		return fmt.Errorf("onnx: save %s: %w", path, err)
	}
	return nil
}

func (m *Model) withWeights(weights map[string]*tensor.Tensor) (*model.Model, error) {
	p, g := *m.m, *m.m.Graph
	p.Graph, g.Initializers = &g, nil
	seen := map[string]bool{}
	for _, t := range m.m.Graph.Initializers {
		v, given := weights[t.Name]
		if !given {
			if t.External == nil {
				g.Initializers = append(g.Initializers, t)
				continue
			}
			old, err := m.source.Weight(t)
			if err != nil {
				return nil, err
			}
			v = old
		}
		seen[t.Name] = true
		old, err := m.source.Weight(t)
		if err != nil {
			return nil, err
		}
		switch {
		case v == nil:
			return nil, fmt.Errorf("weight %q is nil", t.Name)
		case v.DType() != old.DType() || !tensor.EqualShapes(v.Shape(), old.Shape()):
			return nil, fmt.Errorf("weight %q is %v%v, not %v%v", t.Name, v.DType(), v.Shape(), old.DType(), old.Shape())
		case t.Type.Narrow():
			return nil, fmt.Errorf("weight %q is %v, which is not written", t.Name, t.Type)
		}
		x, err := model.FromTensor(t.Name, v)
		if err != nil {
			return nil, err
		}
		g.Initializers = append(g.Initializers, x)
	}
	for name := range weights {
		if !seen[name] {
			return nil, fmt.Errorf("the model has no weight %q", name)
		}
	}
	return &p, nil
}
