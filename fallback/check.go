package fallback

import (
	"fmt"

	"github.com/anycl/anycl/engine"
)

// groupsOf is how many groups of axes each kind has, but for Custom.
var groupsOf = map[engine.Kind]int{engine.Map: 1, engine.Reduce: 2, engine.Contract: 4, engine.Scatter: 3}

// Check says why the engine cannot run t: a task whose parts do not fit
// together, a scalar function without Host, a custom kernel without a Go twin.
func (e *Engine) Check(t *engine.Task) error {
	if t == nil {
		return fmt.Errorf("fallback: no task")
	}
	fail := func(format string, args ...any) error {
		return fmt.Errorf("fallback: %s %s: %w", t.Kind, t.Name, fmt.Errorf(format, args...))
	}
	for i, o := range t.Ins {
		if !o.DType.Valid() || o.Len < 0 {
			return fail("input %d has dtype %v and %d elements", i, o.DType, o.Len)
		}
	}
	for i, o := range t.Outs {
		if !o.DType.Valid() || o.Len < 0 {
			return fail("output %d has dtype %v and %d elements", i, o.DType, o.Len)
		}
	}
	if t.Kind == engine.Custom {
		if t.Custom == nil {
			return fail("no kernel")
		}
		if t.Custom.Host == nil {
			return fail("kernel %q has no Go function for the CPU path: %w", t.Custom.Entry, engine.ErrUnsupported)
		}
		return nil
	}
	want, ok := groupsOf[t.Kind]
	if !ok {
		return fail("unknown kind: %w", engine.ErrUnsupported)
	}
	axes := 0
	for _, n := range t.Groups {
		axes += n
	}
	if len(t.Groups) != want || axes != len(t.Axes) {
		return fail("%d axes in groups %v", len(t.Axes), t.Groups)
	}
	for _, n := range t.Axes {
		if n < 0 {
			return fail("a negative extent in %v", []int(t.Axes))
		}
	}
	if len(t.Outs) != 1 {
		return fail("%d outputs", len(t.Outs))
	}
	size := int64(1)
	for _, a := range t.OutAxes() {
		size *= int64(t.Axes[a])
	}
	if t.Outs[0].Len != size {
		return fail("%d output elements for a domain of %d", t.Outs[0].Len, size)
	}
	if (t.Kind == engine.Reduce || t.Kind == engine.Contract) && !t.Acc.Valid() {
		return fail("accumulator dtype %v", t.Acc)
	}
	if t.Kind == engine.Reduce {
		if t.Fold > engine.ArgMax {
			return fail("unknown fold %d: %w", t.Fold, engine.ErrUnsupported)
		}
		if t.Fold.IsArg() && engine.ClassOf(t.Acc) != engine.ClassI64 {
			return fail("%v accumulates positions, not %v", t.Fold, t.Acc)
		}
	}
	parts := map[engine.Kind][]*engine.Expr{
		engine.Map:      {t.Value},
		engine.Reduce:   {t.Value, t.Epilogue},
		engine.Contract: {t.A, t.B, t.Epilogue},
		engine.Scatter:  {t.Value, t.At, t.Update},
	}
	for _, x := range parts[t.Kind] {
		if x == nil {
			return fail("an expression is missing")
		}
		if err := checkExpr(t, x); err != nil {
			return fail("%w", err)
		}
	}
	return nil
}

func checkExpr(t *engine.Task, x *engine.Expr) error {
	for s := range x.Walk() {
		if !s.DType.Valid() {
			return fmt.Errorf("an expression of dtype %v", s.DType)
		}
		switch s.Op {
		case engine.OpLoad:
			if s.Input < 0 || s.Input >= len(t.Ins) {
				return fmt.Errorf("a load from input %d of %d", s.Input, len(t.Ins))
			}
			if in := t.Ins[s.Input]; in.DType != s.DType {
				return fmt.Errorf("a load of %v from input %d of %v", s.DType, s.Input, in.DType)
			}
		case engine.OpAcc:
			if x != t.Epilogue || s.DType != t.Acc {
				return fmt.Errorf("an accumulator of %v in an expression of a task that has one of %v in its epilogue", s.DType, t.Acc)
			}
		case engine.OpApply:
			if s.Fn == nil || s.Fn.Host == nil {
				return fmt.Errorf("a scalar function without Host: %w", engine.ErrUnsupported)
			}
			if len(s.Args) != s.Fn.Arity {
				return fmt.Errorf("%s has %d operands, not %d", s.Fn.Name, len(s.Args), s.Fn.Arity)
			}
		}
		for _, i := range s.Indices() {
			bad := -1
			i.VisitAxes(func(a int) {
				if a < 0 || a >= len(t.Axes) {
					bad = a
				}
			})
			if bad >= 0 {
				return fmt.Errorf("an index over axis %d of %d", bad, len(t.Axes))
			}
		}
	}
	return nil
}
