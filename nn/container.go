package nn

import (
	"strconv"

	"github.com/anycl/anycl/ops"
)

// Sequential applies modules one after the other. Their names are "0", "1" and so on; modules without parameters count.
type Sequential []Module

// Build declares the modules.
func (s Sequential) Build(scope *Scope) {
	for i, m := range s {
		if m == nil {
			scope.Fail("module %d is nil", i)
			continue
		}
		scope.Child(strconv.Itoa(i), m)
	}
}

// Apply is the result of the last module, each applied to the result of the one before, from x on.
func (s Sequential) Apply(p *Pass, x *ops.Node) *ops.Node {
	for _, m := range s {
		if m != nil {
			x = m.Apply(p, x)
		}
	}
	return x
}

// Residual adds x to the result of a module for x:
//
//	y = Body(x) + Skip(x)
//
// The names of the body's parameters have no prefix; the parameters of Skip, a projection where the shapes differ, have "skip".
// A nil Skip is x.
type Residual struct {
	Body Module
	Skip Module
}

// Build declares the body and the projection.
func (r *Residual) Build(s *Scope) {
	if r.Body == nil {
		s.Fail("the body is nil")
		return
	}
	s.build(r.Body)
	if r.Skip != nil {
		s.Child("skip", r.Skip)
	}
}

// Apply is the sum.
func (r *Residual) Apply(p *Pass, x *ops.Node) *ops.Node {
	if r.Body == nil {
		return p.fail("residual", errNotBuilt, x)
	}
	skip := x
	if r.Skip != nil {
		skip = r.Skip.Apply(p, x)
	}
	return ops.Add(r.Body.Apply(p, x), skip)
}

// Flatten makes one axis of the axes from Start to End, as PyTorch's layer does: of the zero value, of all axes behind the first.
// Negative axes count from the end.
type Flatten struct {
	Start, End int // 0: axis 1, and the last axis
}

// Apply is x with those axes joined.
func (f *Flatten) Apply(p *Pass, x *ops.Node) *ops.Node {
	start, end := f.Start, f.End
	if start == 0 {
		start = 1
	}
	if end == 0 {
		end = -1
	}
	return p.did(f, ops.FlattenRange(x, start, end))
}
