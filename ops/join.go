package ops

import (
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
)

// fewJoined is how many tensors a concatenation folds into its readers, each of which then looks
// among them for every element. More are copied: n times 1/n of the elements, where a fold would take n
// comparisons for each.
const fewJoined = 8

// joinAttr is the attribute of a join: matrices of rows x widths, of which the result has the given shape.
type joinAttr struct {
	rows   int
	widths []int
	shape  []int
}

// joined is the concatenation of xs along axis by one task that copies each to its place. An operand that is only
// reshaped is read as it is.
func joined(axis int, xs []*Node) *Node {
	a := joinAttr{rows: ir.Product(xs[0].shape[:axis]), shape: slices.Clone(xs[0].shape)}
	a.shape[axis] = 0
	var in []*Node
	for _, x := range xs {
		n := x.shape[axis]
		a.shape[axis] = plus(a.shape[axis], n)
		if x.Size() == 0 {
			continue
		}
		for ir.Traits(x.op.Traits)&ir.TraitReshape != 0 {
			x = x.in[0]
		}
		in, a.widths = append(in, x), append(a.widths, ir.Product(xs[0].shape[axis+1:])*n)
	}
	if len(in) == 0 {
		return Reshape(xs[0], a.shape...)
	}
	return pickOf(apply("join", a, in...), 0)
}

var _ = define(Op{
	Name: "join", Attributes: AttributesOf[joinAttr](), Operands: operandsAny, hidden: true, kind: ir.KindRoutine,
	Results: func(c *Call) ([]Result, error) { return []Result{{c.dt(0), c.Attr.(joinAttr).shape}}, nil },
	algorithm: func(n *ir.Node) engine.Algorithm {
		a := n.Attr.(joinAttr)
		j := &engine.Join{Rows: int64(a.rows)}
		for _, w := range a.widths {
			j.Widths = append(j.Widths, int64(w))
		}
		return j
	},
})

// manyParts is how many parts of a derivative are added one by one.
const manyParts = 8

// sliceAxis is the axis along which p, a part of a derivative, is zero but for one slice, or -1.
func sliceAxis(p *Node) int {
	a, ok := p.attr.(unsliceAttr)
	axis := -1
	for i := 0; ok && i < len(a.Full); i++ {
		switch {
		case a.Step[i] != 1 && a.Shape[i] > 1:
			return -1
		case a.Shape[i] == a.Full[i]:
		case axis >= 0:
			return -1
		default:
			axis = i
		}
	}
	return axis
}

// joinParts adds up parts of a derivative that are zero but for one slice along the same axis, many of which lie beside each
// other: the derivatives of the parts of a Split. To add n of them takes n times all elements; side by
// side they are one concatenation. It returns nil where hardly any lie beside each other.
func joinParts(parts []*Node) *Node {
	axis, full := sliceAxis(parts[0]), parts[0].shape
	at := func(p *Node) (from, to int) {
		a := p.attr.(unsliceAttr)
		return a.Start[axis], a.Start[axis] + a.Shape[axis]
	}
	sorted := slices.SortedStableFunc(slices.Values(parts), func(x, y *Node) int {
		i, _ := at(x)
		j, _ := at(y)
		return i - j
	})
	// Layers of parts that do not overlap.
	var layers [][]*Node
	for _, p := range sorted {
		from, to := at(p)
		if from == to {
			continue
		}
		k := slices.IndexFunc(layers, func(l []*Node) bool {
			_, end := at(l[len(l)-1])
			return end <= from
		})
		if k < 0 {
			if k = len(layers); 2*k > len(parts) {
				return nil
			}
			layers = append(layers, nil)
		}
		layers[k] = append(layers[k], p)
	}
	var sum *Node
	for _, l := range layers {
		var row []*Node
		end := 0
		gap := func(to int) {
			if to > end {
				shape := slices.Clone(full)
				shape[axis] = to - end
				row = append(row, BroadcastTo(scalarConst(l[0].graph, l[0].dtype, 0), shape...))
			}
		}
		for _, p := range l {
			from, to := at(p)
			gap(from)
			row, end = append(row, p.in[0]), to
		}
		gap(full[axis])
		if y := Concat(axis, row...); sum == nil {
			sum = y
		} else {
			sum = Add(sum, y)
		}
	}
	return sum
}

// joinedParts is the derivative d of n, whose parts were added one by one as they came, with parts that lie beside each other
// laid there instead.
func (t *tape) joinedParts(n, d *Node) *Node {
	parts := t.parts[n]
	if d == nil || len(parts) <= manyParts {
		return d
	}
	var beside, rest []*Node
	axis := -1
	for _, p := range parts {
		a := sliceAxis(p)
		if axis < 0 {
			axis = a
		}
		if a >= 0 && a == axis {
			beside = append(beside, p)
		} else {
			rest = append(rest, p)
		}
	}
	if len(beside) <= manyParts {
		return d
	}
	g := n.graph
	g.scope = append(g.scope, scope{name: beside[0].scope, caller: beside[0].caller})
	defer func() { g.scope = g.scope[:len(g.scope)-1] }()
	sum := joinParts(beside)
	if sum == nil {
		return d
	}
	for _, p := range rest {
		sum = Add(sum, p)
	}
	return sum
}
