package ops

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// A graph with open sizes is built twice more beside, with sample sizes: rules for shapes see numbers only, and an extent of a
// result is told apart from others by its sizes in both samples. A relation that holds for two samples that differ in their prime
// factors holds for all sizes but in rare cases, and those are found when the graph is compiled for the sizes of a run.

// samples is how many graphs with sample sizes there are.
const samples = 2

// openSizes is the state of a graph with open sizes beside its nodes.
type openSizes struct {
	graph   *Graph
	probes  [samples]*replay
	bases   []int                // the handles that do not depend on others, in the order of their appearance
	sizes   map[int][samples]int // of each handle in the samples
	handles map[[samples]int]int
	extents map[int]extent // those of Graph.Extent
}

// extent is computed from others.
type extent struct {
	from []int
	f    func(sizes []int) int
}

// opened is the state of g as a graph with open sizes. It makes g one if it is none yet.
func (g *Graph) opened() *openSizes {
	if g.open == nil {
		g.open = &openSizes{graph: g, sizes: map[int][samples]int{}, handles: map[[samples]int]int{}, extents: map[int]extent{}}
		for k := range g.open.probes {
			g.open.probes[k] = newReplay(g, map[int]int{})
		}
	}
	return g.open
}

// samplePrimes tell the sample sizes of extents apart: of two extents, neither the difference nor the ratio is the same in
// both samples, and the first is the larger in only one of them, so that the smaller of two extents equals neither in both.
var samplePrimes = [...][samples]int{
	{7, 223}, {13, 199}, {17, 197}, {19, 193}, {29, 191}, {37, 181}, {43, 179}, {53, 163},
	{59, 151}, {67, 149}, {71, 127}, {83, 107}, {97, 103}, {101, 79}, {109, 31}, {113, 11},
}

// declare enters the open extents of shape. [Dynamic] is allowed in the shape of an input only, whose name is what.
func (g *Graph) declare(shape []int, what string) ([]int, error) {
	if !slices.ContainsFunc(shape, func(d int) bool { return d == Dynamic && what != "" || isOpen(d) }) {
		return shape, nil
	}
	o := g.opened()
	shape = slices.Clone(shape)
	for axis, d := range shape {
		if d == Dynamic {
			d = dims.handle(dim{name: fmt.Sprintf("%s.%d", what, axis)})
			if _, used := o.sizes[d]; used { // another input of this name
				d = dims.handle(dim{name: fmt.Sprintf("%s.%d#%d", what, axis, len(o.bases))})
			}
			shape[axis] = d
		}
		if isOpen(d) {
			if err := o.declare(d); err != nil {
				return nil, err
			}
		}
	}
	return shape, nil
}

// declare enters the handle h, unless it is known.
func (o *openSizes) declare(h int) error {
	if _, ok := o.sizes[h]; ok {
		return nil
	}
	d, ok := dims.of(h)
	if !ok {
		return errCalculated
	}
	for _, b := range o.bases {
		if other, _ := dims.of(b); other.name == d.name {
			return fmt.Errorf("the extent %s has two bounds, %d and %d", d.name, other.most, d.most)
		}
	}
	if len(o.bases) == len(samplePrimes) {
		return fmt.Errorf("more than %d extents are open", len(samplePrimes))
	}
	var s [samples]int
	for k := range s {
		s[k] = 12 * samplePrimes[len(o.bases)][k]
	}
	if d.most > 0 { // as large as may be, not the same, and in the reverse order
		n := len(o.bases)
		for s = [samples]int{max(d.most-n, 1), max(d.most-len(samplePrimes)+n, 0)}; s[1] > 0 && o.handles[s] != 0; s[1]-- {
		}
	}
	o.bases = append(o.bases, h)
	o.enter(h, s)
	return nil
}

func (o *openSizes) enter(h int, s [samples]int) {
	o.sizes[h] = s
	if _, taken := o.handles[s]; !taken {
		o.handles[s] = h
	}
	for k, p := range o.probes {
		p.sizes[h] = s[k]
	}
}

var errOpenCount = errors.New("the number of results would depend on an extent that is open")

var errCalculated = errors.New("an extent was calculated with one that is open, as if it were a number (use Graph.Extent)")

// Extent is an extent that f computes from others, open or not, when their sizes are known:
//
//	half := g.Extent("half", func(n []int) int { return n[0] / 2 }, x.Dim(0))
//
// f must give the same for the same sizes.
func (g *Graph) Extent(name string, f func(sizes []int) int, from ...int) int {
	if g == nil || f == nil || !slices.ContainsFunc(from, isOpen) {
		if g != nil && f == nil {
			g.fail("extent", nil, errors.New("the function is nil"))
		}
		if g == nil || f == nil {
			return 0
		}
		return f(slices.Clone(from))
	}
	o := g.opened()
	var s [samples]int
	for k, p := range o.probes {
		sizes := make([]int, len(from))
		for i, d := range from {
			if isOpen(d) {
				if err := o.declare(d); err != nil {
					g.fail("extent", nil, err)
					return 0
				}
			}
			sizes[i] = p.size(d)
		}
		s[k] = f(sizes)
	}
	h := dims.handle(dim{name: name})
	if was, ok := o.sizes[h]; ok && was != s {
		h = dims.handle(dim{name: fmt.Sprintf("%s#%d", name, len(o.extents))})
	}
	o.extents[h] = extent{slices.Clone(from), f}
	o.enter(h, s)
	return h
}

// apply adds a call of op to a graph with open sizes.
func (o *openSizes) apply(op *Op, attr any, in []*Node) *Node {
	n := o.graph.add(op, attr, in, nil, tensor.Invalid)
	o.infer(n)
	return n
}

// infer gives n its dtype and shape, from those of the samples.
func (o *openSizes) infer(n *Node) {
	var made [samples]*Node
	for k, p := range o.probes {
		if made[k] = p.node(n); made[k].bad || len(p.to.errs) > 0 {
			o.failed(n, p)
			return
		}
	}
	var err error
	if n.dtype, n.shape, err = o.common(n, made); err != nil {
		n.bad = true
		o.graph.errs = append(o.graph.errs, &OpError{Op: n.op.Name, Caller: n.caller, Operands: describe(n.in), Err: err})
	}
}

// common is the dtype and the shape that has the samples' extents.
func (o *openSizes) common(n *Node, made [samples]*Node) (tensor.DType, []int, error) {
	first := made[0]
	for _, m := range made[1:] {
		if len(m.shape) != len(first.shape) || m.dtype != first.dtype {
			return 0, nil, errors.New("the rank or the dtype of the result depends on sizes that are open")
		}
	}
	shape := make([]int, len(first.shape))
	for a := range shape {
		var s [samples]int
		for k, m := range made {
			s[k] = m.shape[a]
		}
		shape[a] = o.extentOf(s, n, a)
	}
	return first.dtype, shape, nil
}

// failed makes n a node that has failed, for the reason that p gives.
func (o *openSizes) failed(n *Node, p *replay) {
	n.bad = true
	err := error(nil)
	if len(p.to.errs) > 0 {
		err = p.to.errs[0]
	}
	for _, p := range o.probes {
		p.made[n], p.to.errs = p.to.failedNode(), nil
	}
	if err == nil { // an operand had failed, which was said where it happened
		return
	}
	name := n.op.Name
	if e, ok := errors.AsType[*OpError](err); ok {
		name, err = e.Op, e.Err
	}
	err = named(err, func(d int) (string, bool) { return p.nameOf(o, d) })
	o.graph.errs = append(o.graph.errs, &OpError{Op: name, Caller: n.caller, Operands: describe(n.in), Err: err})
}

// extentOf is the extent that has sizes s in the samples: a number, a handle that is known, or a new one for axis a of n.
func (o *openSizes) extentOf(s [samples]int, n *Node, a int) int {
	if s[0] == s[1] {
		return s[0]
	}
	if h, ok := o.handles[s]; ok {
		return h
	}
	name := o.formula(s)
	if name == "" {
		name = fmt.Sprintf("%s.%d", n.op.Name, a)
	}
	h := dims.handle(dim{name: name})
	if _, taken := o.sizes[h]; taken {
		h = dims.handle(dim{name: fmt.Sprintf("%s#%d", name, len(o.sizes))})
	}
	o.enter(h, s)
	return h
}

// formula writes s as a multiple, a part, or a sum of extents that are known; it is empty where s is none.
func (o *openSizes) formula(s [samples]int) string {
	nearest, text := 0, ""
	for _, h := range o.bases {
		b, name := o.sizes[h], DimName(h)
		switch d := s[0] - b[0]; {
		case s[0]*b[1] == s[1]*b[0] && b[0] > 0 && s[0]%b[0] == 0:
			return fmt.Sprintf("%d*%s", s[0]/b[0], name)
		case s[0]*b[1] == s[1]*b[0] && s[0] > 0 && b[0]%s[0] == 0:
			return fmt.Sprintf("%s/%d", name, b[0]/s[0])
		case d == s[1]-b[1] && (text == "" || max(d, -d) < nearest):
			nearest, text = max(d, -d), fmt.Sprintf("%s%+d", name, d)
		}
	}
	if text != "" {
		return text
	}
	for i, h := range o.bases {
		for _, other := range o.bases[i:] {
			b, c, names := o.sizes[h], o.sizes[other], [2]string{DimName(h), DimName(other)}
			switch {
			case b[0]*c[0] > 0 && s[0]%(b[0]*c[0]) == 0 && s[0]/(b[0]*c[0])*b[1]*c[1] == s[1]:
				if k := s[0] / (b[0] * c[0]); k > 1 {
					return fmt.Sprintf("%d*%s*%s", k, names[0], names[1])
				}
				return names[0] + "*" + names[1]
			case s[0] == b[0]+c[0] && s[1] == b[1]+c[1]:
				return names[0] + "+" + names[1]
			}
		}
	}
	return ""
}

// nameOf is the name of the extent that has size d in the sample p.
func (p *replay) nameOf(o *openSizes, d int) (string, bool) {
	if isOpen(d) {
		return DimName(d), true
	}
	for h, size := range p.sizes {
		if size == d && d > 1 {
			if s := o.sizes[h]; s[0] != s[1] {
				return DimName(h), true
			}
		}
	}
	for _, h := range o.bases { // a number of elements
		if size := p.sizes[h]; size > 1 && d > size && d%size == 0 {
			return fmt.Sprintf("%d*%s", d/size, DimName(h)), true
		}
	}
	return "", false
}

// sized adds the nodes that build returns for in, once sizes are known; it is for functions that calculate with extents. It is called
// once for each combination of sizes. Where no size is open it is called at once.
func (g *Graph) sized(name string, in []*Node, results int, build sizedBuild) []*Node {
	if g == nil || g.open == nil || slices.Contains(in, nil) || anyBad(in) {
		return build(g, in, func(d int) int { return d })
	}
	n := g.add(&Op{Name: name, Operands: operandsAny, hidden: true}, &deferred{build}, in, nil, tensor.Invalid)
	g.open.infer(n)
	return g.open.results(n, results)
}

// sizedBuild makes the results of a node in g of its operands, where every extent is a number; size gives that of a handle.
type sizedBuild func(g *Graph, in []*Node, size func(d int) int) []*Node

// deferred is the attribute of a node that is made when sizes are known.
type deferred struct{ build sizedBuild }

// hasOpenSizes reports whether x belongs to a graph with open sizes.
func hasOpenSizes(x *Node) bool { return x != nil && !x.bad && x.graph.open != nil }

// sizesOf are the extents of shape as numbers.
func sizesOf(shape []int, size func(d int) int) []int {
	all := slices.Clone(shape)
	for i, d := range all {
		all[i] = size(d)
	}
	return all
}

// sized1 is Graph.sized for one operand and one result.
func sized1(name string, x *Node, build func(x *Node, size func(d int) int) *Node) *Node {
	return x.graph.sized(name, []*Node{x}, 1, func(_ *Graph, in []*Node, size func(d int) int) []*Node {
		return []*Node{build(in[0], size)}
	})[0]
}

// results are nodes for the count results of n, which is made when sizes are known.
func (o *openSizes) results(n *Node, count int) []*Node {
	all := slices.Repeat([]*Node{n}, count)
	if n.bad {
		return all
	}
	for i := 1; i < count; i++ {
		all[i] = o.apply(opNamed("pick"), ir.PickAttr{I: i}, []*Node{n})
	}
	return all
}

// gradientsAttr is the attribute of a node that stands for gradients, made when sizes are known.
type gradientsAttr struct{}

// gradients adds the derivatives of y in a graph with open sizes: they have the shapes of xs.
func (o *openSizes) gradients(y *Node, xs []*Node) []*Node {
	n := o.apply(opNamed("gradients"), gradientsAttr{}, append([]*Node{y}, xs...))
	return o.results(n, len(xs))
}

// openNumber reports whether v, a number, is the handle of an extent that is open, or was calculated with one, which is a mistake. Other
// numbers as low, the least of a dtype or one that masks scores, are numbers.
func (g *Graph) openNumber(v any) (d int, open bool) {
	if g == nil || g.open == nil {
		return 0, false
	}
	switch v := v.(type) {
	case int:
		d = v
	case float64:
		if d = int(max(v, math.MinInt32*1024)); float64(d) != v {
			return 0, false
		}
	}
	return d, dims.reaches(d)
}

// sizeNode is the size of d, an extent that is open, as a scalar.
func (g *Graph) sizeNode(dt tensor.DType, d int) *Node {
	return g.sized("size", nil, 1, func(g *Graph, _ []*Node, size func(d int) int) []*Node {
		return []*Node{g.count(dt, size(d))}
	})[0]
}
