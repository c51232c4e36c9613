package onnx

import (
	"context"
	"fmt"
	"maps"

	"github.com/anycl/anycl/onnx/internal/export"
	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// writer makes the graph of a file.
type writer struct {
	ctx     context.Context
	outputs []Output
	nodes   []*ops.Node // of the outputs, and the inputs that the options name
	o       *SaveOptions
	opset   int
}

// samplePrimes are sizes of open extents with which graphs are written: differences and ratios of two extents are not the same in all
// samples.
var samplePrimes = [...]int{101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173, 179}

// graph is the graph of the file, which computes the same as g.
func (w *writer) graph(g *ops.Graph) (*model.Graph, error) {
	var open []ops.OpenExtent
	for _, e := range g.OpenExtents(w.nodes...) {
		if _, given := w.o.Sizes[e.Name]; !given {
			open = append(open, e)
		}
	}
	if len(open) == 0 {
		s, _, err := w.sample(g, w.o.Sizes)
		return s.Graph, err
	}
	if len(open) > len(samplePrimes) {
		return nil, fmt.Errorf("more than %d extents are open", len(samplePrimes))
	}
	all, err := w.open(g, open, 1)
	if err != nil { // sizes may have to be even, or more
		var again error
		if all, again = w.open(g, open, 12); again != nil {
			return nil, err
		}
	}
	return all, nil
}

// open is the graph with open extents, of samples whose sizes are multiples.
func (w *writer) open(g *ops.Graph, open []ops.OpenExtent, multiple int) (*model.Graph, error) {
	var samples [export.Samples]export.Sample
	names, extents := map[[export.Samples]int64]string{}, map[string][export.Samples]int64{}
	var shapes [export.Samples][][]int
	for k := range samples {
		sizes := maps.Clone(w.o.Sizes)
		if sizes == nil {
			sizes = ops.Sizes{}
		}
		for i, e := range open {
			n := sampleSize(e, i, k, multiple)
			sizes[e.Name] = n
			s := extents[e.Name]
			s[k] = int64(n)
			extents[e.Name] = s
		}
		var err error
		if samples[k], shapes[k], err = w.sample(g, sizes); err != nil {
			return nil, err
		}
	}
	for i, out := range w.outputs { // names of the extents of outputs
		for a, d := range out.Node.Shape() {
			var s [export.Samples]int64
			for k := range s {
				s[k] = int64(shapes[k][i][a])
			}
			names[s] = ops.DimName(d)
		}
	}
	for _, e := range open {
		names[extents[e.Name]] = e.Name
	}
	all, err := export.Open(samples, names, multiple > 1)
	if err != nil {
		return nil, fmt.Errorf("%w: %w (sizes for open extents may help)", ErrUnsupported, err)
	}
	return all, nil
}

// sampleSize is the size of extent number i in sample k.
func sampleSize(e ops.OpenExtent, i, k, multiple int) int {
	last := len(samplePrimes) - 1
	n := multiple * samplePrimes[[export.Samples]int{i, last - i, (7*i + 3) % len(samplePrimes)}[k]]
	if e.Most == 0 || n <= e.Most {
		return n
	}
	return max(e.Most-k*multiple, 1)
}

// sample is the graph for sizes in numbers, with the shapes of its outputs.
func (w *writer) sample(g *ops.Graph, sizes ops.Sizes) (s export.Sample, shapes [][]int, err error) {
	nodes, err := g.Sized(sizes, w.nodes...)
	if err != nil {
		return s, nil, err
	}
	g = nodes[0].Graph()
	all := make([]export.Output, len(w.outputs))
	for i, out := range w.outputs {
		all[i] = export.Output{Name: out.Name, Node: nodes[i]}
		shapes = append(shapes, nodes[i].Shape())
	}
	name := w.o.Name
	if name == "" {
		name = g.Name()
	}
	s.Graph, s.Shapes, err = export.Graph(all, export.Options{Name: name, Opset: int64(w.opset), Inputs: nodes[len(w.outputs):],
		Value: func(v *ops.Node) (*tensor.Tensor, error) { return ops.Value(w.ctx, v) }})
	if err != nil {
		return s, nil, fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	return s, shapes, g.Err() // a composition that could not be built
}
