package importer

import (
	"context"
	"errors"
	"fmt"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// unsupported is an error of a node that has nothing to do with the sizes and the contents of its operands.
type unsupported struct{ error }

func (e unsupported) Unwrap() error { return e.error }

// guess has the errors that are found in a model while it is built for sizes that may not be its own. Results of nodes that cannot be built
// have the shape and the dtype of an operand, so that those after them are looked at too.
type guess struct {
	refused  []error
	texts    map[string]bool
	replaced int // nodes whose results are inputs in their place
	inputs   int
}

// Real models have fewer nodes, and files may be made to take long.
const (
	maxRefused  = 200
	maxReplaced = 1 << 8  // nodes that cannot be built for a guess
	maxGuessed  = 1 << 12 // nodes of functions, and of loops as often as they are unrolled
)

// Refused are errors for nodes that cannot be built whatever the sizes and the contents of inputs are, found by building the model for
// shapes that are a guess where it leaves them open.
func (s *Source) Refused(shapes map[string][]int) []error {
	host := ops.NewRuntime(fallback.New(nil))
	defer host.Close()
	b := &builder{
		ctx: context.Background(), m: s, g: ops.NewGraph("guess"), host: host, used: map[string]bool{}, folds: &folds{},
		guessed: &guess{texts: map[string]bool{}},
	}
	_, _ = b.model(shapes) // of its errors, those that do not depend on sizes are kept
	return b.guessed.refused
}

// enough reports whether no more nodes are looked at after the given number.
func (x *guess) enough(steps int) bool {
	return x != nil && (steps > maxGuessed || x.replaced > maxReplaced)
}

// count is how many nodes have been refused.
func (x *guess) count() int {
	if x == nil {
		return 0
	}
	return len(x.refused)
}

// after takes the outcome of a node, and returns its results or replacements for them. before is the number of nodes refused before it.
func (x *guess) after(b *builder, s *scope, n *model.Node, outs []*value, err error, before int) []*value {
	if n.Op == "If" && n.Domain == "" {
		if in := b.operands(s, n); len(in) > 0 && in[0] != nil && in[0].host != nil { // other sizes may take the other branch
			x.refused = x.refused[:before]
		}
	}
	if u, ok := err.(unsupported); ok && len(x.refused) < maxRefused {
		e := fmt.Errorf("%s: %w", label(n), u.error)
		if !x.texts[e.Error()] {
			x.texts[e.Error()], x.refused = true, append(x.refused, e)
		}
	}
	if err == nil && len(outs) > 0 {
		return outs
	}
	x.replaced++
	shape, dt := []int{1}, tensor.Float32
	for _, v := range b.operands(s, n) {
		if v != nil && v.node != nil {
			shape, dt = v.node.Shape(), v.node.DType()
			break
		}
	}
	outs = make([]*value, len(n.Outputs))
	for i := range outs {
		x.inputs++
		outs[i] = &value{node: b.g.Input(fmt.Sprint("guess ", x.inputs), dt, shape...)}
	}
	return outs
}

// errGuessed ends a build for sizes that are a guess before its results are looked at.
var errGuessed = errors.New("sizes are a guess")
