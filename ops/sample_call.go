package ops

import "errors"

import "github.com/anycl/anycl/tensor"

// Call makes the call of o that s describes, with operands that the caller has
// made as s.Operands says. seen are the operands as the op meets them, after
// the views of s.Through.
func (s Sample) Call(o *Op, g *Graph, dt tensor.DType, in []*Node) (seen []*Node, out *Node) {
	if s.Source != nil {
		return nil, s.Source(g, dt)
	}
	seen = in
	if s.Through != nil {
		seen = s.Through(in)
	}
	if s.Build != nil {
		return seen, s.Build(seen)
	}
	if o.results != nil {
		return seen, g.fail(o.Name, seen, errors.New("the sample has no Build: an op of several results needs one, which gives a result that somebody reads"))
	}
	return seen, applyIn(g, o.Name, nil, seen...)
}
