package export

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/onnx/internal/model"
)

// A graph with open extents is written several times, with sample sizes in their place. The differences between the files are numbers:
// extents in lists of shapes, counts, positions. Each is found again as an expression of extents that a run knows, of inputs or of values
// that the model has computed by then, and nodes that compute the expression take the place of the constant. Two expressions that agree for
// all samples, which are primes, are taken to be one: a test of polynomial identities, as that by which package ops tells extents apart.

// Samples is how many files there are.
const Samples = 3

// Sample is a graph for certain sizes, with the shapes of its values.
type Sample struct {
	Graph  *model.Graph
	Shapes map[string][]int
}

// Open is the graph that the samples are of. names are the names of extents of inputs and outputs, by their sizes in the samples. With
// divides, parts of extents are expressions too: the graph can only be built where extents can be divided.
// Its error joins an [Unsupported] for everything that depends on sizes in a way that is not found.
func Open(samples [Samples]Sample, names map[[Samples]int64]string, divides bool) (*model.Graph, error) {
	o := &opener{samples: samples, names: names, divides: divides, out: &model.Graph{Name: samples[0].Graph.Name}, made: map[string]string{},
		taken: map[string]bool{}}
	for k, s := range samples {
		o.own[k], o.constants[k] = map[string]string{"": ""}, map[string]*model.Tensor{}
		for _, t := range s.Graph.Initializers {
			o.constants[k][t.Name] = t
			o.taken[t.Name] = true
		}
		for _, v := range s.Graph.Inputs {
			o.taken[v.Name] = true
		}
		walk(s.Graph.Nodes, func(n *model.Node) {
			for _, v := range n.Outputs {
				o.taken[v] = true
			}
		})
	}
	o.out.Inputs = o.values(func(g *model.Graph) []*model.Value { return g.Inputs }, samples, o.known)
	nodes, ok := o.list(graphs(samples), true)
	if !ok && o.errs == nil {
		o.errs = append(o.errs, errors.New("other nodes are written for other sizes of the open extents"))
	}
	o.out.Nodes = append(o.out.Nodes, nodes...)
	o.out.Outputs = o.values(func(g *model.Graph) []*model.Value { return g.Outputs }, samples, nil)
	return o.out, errors.Join(o.errs...)
}

func graphs(samples [Samples]Sample) (all [Samples]*model.Graph) {
	for k := range samples {
		all[k] = samples[k].Graph
	}
	return all
}

// opener makes one graph of the samples.
type opener struct {
	samples   [Samples]Sample
	names     map[[Samples]int64]string
	divides   bool
	out       *model.Graph
	own       [Samples]map[string]string // the value in out that one of a sample is
	constants [Samples]map[string]*model.Tensor
	extents   []extent
	ready     []*model.Node // that compute the operands of the node of the main graph that is being written
	made      map[string]string
	taken     map[string]bool
	errs      []error
}

// extent is an axis of a value that a run knows, with its sizes.
type extent struct {
	value string
	axis  int
	sizes [Samples]int64
}

func differ(s [Samples]int64) bool { return s[0] != s[1] || s[0] != s[2] }

// values returns the values that f gives for a graph, with the extents that differ among the samples open. each is called with the names
// of a value.
func (o *opener) values(f func(g *model.Graph) []*model.Value, in [Samples]Sample, each func(names [Samples]string)) (all []*model.Value) {
	for i, first := range f(in[0].Graph) {
		v := *first
		v.Dims = slices.Clone(v.Dims)
		var names [Samples]string
		for k, s := range in {
			names[k] = f(s.Graph)[i].Name
		}
		for a := range v.Dims {
			var sizes [Samples]int64
			for k, s := range in {
				sizes[k] = f(s.Graph)[i].Dims[a].Size
			}
			if differ(sizes) {
				v.Dims[a] = model.Dim{Size: -1, Name: o.names[sizes]}
			}
		}
		if each != nil {
			each(names)
		}
		all = append(all, &v)
	}
	return all
}

// known makes the extents of a value of the main graph known, where they differ.
func (o *opener) known(names [Samples]string) {
	var shapes [Samples][]int
	for k, s := range o.samples {
		o.own[k][names[k]] = names[0]
		if shapes[k] = s.Shapes[names[k]]; len(shapes[k]) != len(shapes[0]) {
			return
		}
	}
	for a := range shapes[0] {
		e := extent{value: names[0], axis: a}
		for k := range shapes {
			e.sizes[k] = int64(shapes[k][a])
		}
		if differ(e.sizes) && !slices.ContainsFunc(o.extents, func(x extent) bool { return x.sizes == e.sizes }) {
			o.extents = append(o.extents, e)
		}
	}
}

// list are the nodes of a graph, which is the main one or within it.
func (o *opener) list(g [Samples]*model.Graph, main bool) (all []*model.Node, ok bool) {
	for k := range g {
		if len(g[k].Nodes) != len(g[0].Nodes) {
			return nil, false
		}
	}
	for i := range g[0].Nodes {
		var n [Samples]*model.Node
		for k := range g {
			n[k] = g[k].Nodes[i]
		}
		made, ok := o.node(n)
		if !ok {
			return nil, false
		}
		if main {
			all = append(all, o.ready...)
			o.ready = nil
		}
		all = append(all, made)
		for j := range made.Outputs {
			var names [Samples]string
			for k := range n {
				names[k] = n[k].Outputs[j]
				o.own[k][names[k]] = names[0]
			}
			if main {
				o.known(names)
			}
		}
	}
	return all, true
}

// node is one node of the samples; not ok: they are different ones.
func (o *opener) node(n [Samples]*model.Node) (*model.Node, bool) {
	for _, x := range n[1:] {
		if x.Op != n[0].Op || len(x.Inputs) != len(n[0].Inputs) || len(x.Outputs) != len(n[0].Outputs) || len(x.Attrs) != len(n[0].Attrs) {
			return nil, false
		}
	}
	made := *n[0]
	made.Inputs, made.Attrs = slices.Clone(made.Inputs), slices.Clone(made.Attrs)
	for i := range made.Attrs {
		var a [Samples]*model.Attr
		for k := range n {
			a[k] = n[k].Attrs[i]
		}
		var ok bool
		if made.Attrs[i], ok = o.attr(n[0], a); !ok {
			return nil, false
		}
	}
	for i := range made.Inputs {
		var names [Samples]string
		var t [Samples]*model.Tensor
		constants := 0
		for k := range n {
			names[k] = n[k].Inputs[i]
			if t[k] = o.constants[k][names[k]]; t[k] != nil {
				constants++
			}
		}
		switch constants {
		case 0:
			for k := range n {
				if names[k] = o.own[k][names[k]]; names[k] != names[0] {
					return nil, false
				}
			}
			made.Inputs[i] = names[0]
		case Samples:
			name, err := o.constant(t)
			if err != nil {
				o.errs = append(o.errs, &Unsupported{Op: made.Op, Caller: made.Name, Reason: err.Error()})
			}
			made.Inputs[i] = name
		default:
			return nil, false
		}
	}
	return &made, true
}

// attr is an attribute: the same in all samples, but for graphs.
func (o *opener) attr(n *model.Node, a [Samples]*model.Attr) (*model.Attr, bool) {
	made := *a[0]
	if made.Graph != nil {
		var in [Samples]Sample
		for k := range a {
			if a[k].Graph == nil || len(a[k].Graph.Inputs) != len(made.Graph.Inputs) || len(a[k].Graph.Outputs) != len(made.Graph.Outputs) {
				return nil, false
			}
			in[k] = Sample{Graph: a[k].Graph}
		}
		g := &model.Graph{Name: made.Graph.Name}
		g.Inputs = o.values(func(g *model.Graph) []*model.Value { return g.Inputs }, in, func(names [Samples]string) {
			for k := range names {
				o.own[k][names[k]] = names[0]
			}
		})
		var ok bool
		if g.Nodes, ok = o.list(graphs(in), false); !ok {
			return nil, false
		}
		g.Outputs = o.values(func(g *model.Graph) []*model.Value { return g.Outputs }, in, nil)
		made.Graph = g
		return &made, true
	}
	for _, x := range a[1:] {
		if x.Name != made.Name {
			return nil, false
		}
		if !bytes.Equal(model.EncodeAttr(x), model.EncodeAttr(a[0])) {
			o.errs = append(o.errs, &Unsupported{Op: n.Op, Caller: n.Name,
				Reason: fmt.Sprintf("its attribute %s depends on extents that are open", made.Name)})
			break
		}
	}
	return &made, true
}
