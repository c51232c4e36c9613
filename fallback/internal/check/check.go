// Package check finds tasks that the CPU engine cannot run.
package check

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// Groups is how many groups of axes each kind has, but for Custom and Routine.
var Groups = map[engine.Kind]int{engine.Map: 1, engine.Reduce: 2, engine.Row: 2, engine.Contract: 4, engine.Scatter: 3, engine.Attention: 6}

// Task says why the engine cannot run t: its parts do not fit
// together, a scalar function has no Host, or a custom kernel no function in Go.
func Task(t *engine.Task) error {
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
	if t.Kind == engine.Routine {
		if err := t.CheckRoutine(); err != nil {
			return fail("%w", err)
		}
		return nil
	}
	want, ok := Groups[t.Kind]
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
	if t.Kind == engine.Attention {
		if err := checkAttention(t); err != nil {
			return fail("%w", err)
		}
		return nil
	}
	for i := range t.Folds {
		if err := checkFold(t, i); err != nil {
			return fail("fold %d: %w", i, err)
		}
	}
	if err := checkValues(t); err != nil {
		return fail("%w", err)
	}
	var parts []*engine.Expr
	switch t.Kind {
	case engine.Contract:
		if parts = []*engine.Expr{t.A, t.B}; !t.Acc.Valid() {
			return fail("accumulator dtype %v", t.Acc)
		}
	case engine.Scatter:
		parts = []*engine.Expr{t.At, t.Update}
	}
	for _, x := range parts {
		if err := checkExpr(t, x, nil); err != nil {
			return fail("%w", err)
		}
	}
	return nil
}

// foldsOf is how many folds a task of each kind has at least and at most.
var foldsOf = map[engine.Kind][2]int{engine.Reduce: {1, 1}, engine.Row: {1, math.MaxInt}}

// checkValues checks the outputs and their values.
func checkValues(t *engine.Task) error {
	several := t.Kind == engine.Map || t.Kind == engine.Reduce || t.Kind == engine.Row
	switch n := len(t.Outs); {
	case n == 0 || n > 1 && !several:
		return fmt.Errorf("%d outputs", n)
	case len(t.Values) != n:
		return fmt.Errorf("%d values for %d outputs", len(t.Values), n)
	case t.Alias != nil && len(t.Alias) != n:
		return fmt.Errorf("%d aliases for %d outputs", len(t.Alias), n)
	case len(t.Folds) < foldsOf[t.Kind][0] || len(t.Folds) > foldsOf[t.Kind][1]:
		return fmt.Errorf("%d folds", len(t.Folds))
	}
	accs := Accumulators(t)
	for i, x := range t.Values {
		if size := t.OutSize(i); t.Outs[i].Len != size {
			return fmt.Errorf("%d elements of output %d for a domain of %d", t.Outs[i].Len, i, size)
		}
		if err := checkExpr(t, x, accs); err != nil {
			return err
		}
	}
	return nil
}

// Accumulators are the dtypes of the accumulators of t, of its folds or its contraction.
func Accumulators(t *engine.Task) (accs []tensor.DType) {
	for _, f := range t.Folds {
		accs = append(accs, f.Acc)
	}
	if t.Kind == engine.Contract {
		accs = []tensor.DType{t.Acc}
	}
	return accs
}

func checkFold(t *engine.Task, i int) error {
	f := t.Folds[i]
	switch {
	case !f.Acc.Valid():
		return fmt.Errorf("accumulator dtype %v", f.Acc)
	case f.Monoid > engine.ArgMax:
		return fmt.Errorf("unknown fold %d: %w", f.Monoid, engine.ErrUnsupported)
	case f.Monoid.IsArg() && engine.ClassOf(f.Acc) != engine.ClassI64:
		return fmt.Errorf("%v accumulates positions, not %v", f.Monoid, f.Acc)
	}
	return checkExpr(t, f.Value, Accumulators(t)[:i])
}

// checkExpr checks x, which may use results of the dtypes of accs.
func checkExpr(t *engine.Task, x *engine.Expr, accs []tensor.DType) error {
	if x == nil {
		return errors.New("an expression is missing")
	}
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
			if s.Input < 0 || s.Input >= len(accs) || s.DType != accs[s.Input] {
				return fmt.Errorf("result %d of %v where there are those of %v", s.Input, s.DType, accs)
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

// checkAttention checks the fields that a task of attention has instead of values.
func checkAttention(t *engine.Task) error {
	a := t.Attention
	if a == nil {
		return errors.New("nothing to attend to")
	}
	outs := []int{1, 3}
	parts := []*engine.Expr{a.Q, a.K, a.V}
	if a.Pass != engine.AttentionForward {
		parts = append(parts, a.DO, a.Top, a.Share, a.D)
		if outs = []int{2}; a.Pass == engine.AttentionGradQ {
			outs = []int{1}
		}
	}
	if a.Mask != nil {
		parts = append(parts, a.Mask)
	}
	if n := len(t.Outs); !slices.Contains(outs, n) {
		return fmt.Errorf("%d outputs", n)
	}
	if t.Acc != tensor.Float32 && t.Acc != tensor.Float64 {
		return fmt.Errorf("accumulator dtype %v", t.Acc)
	}
	for i, o := range t.Outs {
		if size := t.OutSize(i); o.Len != size {
			return fmt.Errorf("%d elements of output %d for a domain of %d", o.Len, i, size)
		}
	}
	for _, x := range parts {
		if err := checkExpr(t, x, nil); err != nil {
			return err
		}
	}
	return nil
}
