package ops

import (
	"fmt"
	"slices"
	"sync"

	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// Trim marks an output of a graph whose size is known only when it runs: count, an integer scalar, says how many slices of values along
// axis there are, as the second result of [NonZero] and [MaskedSelect] and the Number of [Unique] do:
//
//	values, count := ops.MaskedSelect(x, mask, -1)
//	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{ops.Trim(values, 0, count)}})
//
// [Executable.Run] returns those slices alone, a part of a tensor that has them all. RunInto fills tensors of the full shape, and within
// the graph the result is values: nodes after it see the filling behind the count. A count outside [0, extent] is the nearer end. Errors:
// the axis does not exist; count is no integer scalar.
func Trim(values *Node, axis int, count *Node) *Node {
	return apply("trim", axisAttr{axis}, values, count)
}

var _ = define(Op{
	Name: "trim", Category: "layout", Complex: eachPart, role: roleTrim, Attributes: AttributesOf[axisAttr](), DTypes: every,
	Operands: []Operand{{Name: "values"}, {Name: "count", DTypes: ints}},
	Complete: func(c *Call) error {
		axis, err := shapes.Axis(c.Attr.(axisAttr).Axis, len(c.shape(0)))
		c.Attr = axisAttr{axis}
		return err
	},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		if len(c.shape(1)) != 0 {
			return nil, 0, fmt.Errorf("count is %v, no scalar", c.shape(1))
		}
		return same(c)
	},
	Compose: func(c *Call) *Node { return c.In[0] },
})

// trims are the outputs of an executable that Run cuts off. Their counts are outputs behind those of the target.
type trims struct {
	cuts    []trimCut
	visible int       // outputs of the target
	counts  sync.Pool // of *[]*tensor.Tensor: all outputs of a run, those behind the visible ones its own
}

// trimCut is one of them: output of the target is cut along axis to the number in output count.
type trimCut struct{ output, axis, count int }

// trimmed adds the counts of outputs that are marked to them.
func trimmed(outputs []*Node) ([]*Node, *trims) {
	t := &trims{visible: len(outputs)}
	all := slices.Clone(outputs)
	for i, n := range outputs {
		if !n.is(roleTrim) {
			continue
		}
		at := slices.Index(all[t.visible:], n.in[1])
		if at < 0 {
			at = len(all) - t.visible
			all = append(all, n.in[1])
		}
		t.cuts = append(t.cuts, trimCut{i, n.attr.(axisAttr).Axis, t.visible + at})
	}
	if t.cuts == nil {
		return outputs, nil
	}
	return all, t
}

// apply cuts the outputs of a run and leaves the counts out.
func (t *trims) apply(outs []*tensor.Tensor) ([]*tensor.Tensor, error) {
	for _, c := range t.cuts {
		n := int(min(max(outs[c.count].Float64At(0), 0), float64(outs[c.output].Shape()[c.axis])))
		part, err := outs[c.output].Slice(c.axis, 0, n, 1)
		if err != nil {
			return nil, err
		}
		outs[c.output] = part
	}
	return outs[:t.visible:t.visible], nil
}

// with gives outs the counts of a run, which back takes again. Others make them where there are none to spare.
func (t *trims) with(outs []*tensor.Tensor, others func() ([]*tensor.Tensor, error)) (all *[]*tensor.Tensor, err error) {
	if len(outs) != t.visible {
		return nil, fmt.Errorf("%d tensors for %d outputs", len(outs), t.visible)
	}
	all, _ = t.counts.Get().(*[]*tensor.Tensor)
	if all == nil {
		made, err := others()
		if err != nil {
			return nil, err
		}
		all = &made
	}
	copy(*all, outs)
	return all, nil
}

// back keeps the tensors that a run of with has used, for later runs.
func (t *trims) back(all *[]*tensor.Tensor) {
	clear((*all)[:t.visible])
	t.counts.Put(all)
}
