package variant

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/tuning"
	"github.com/anycl/anycl/tensor"
)

// tunedPlan is the plan of the table's entry for t, nil where there is none or it
// does not fit this task or device: then the rule decides, as without a table.
func tunedPlan(d *facts.Device, table *tuning.Table, t *engine.Task, variants []Variant) *Plan {
	if table.Len() == 0 {
		return nil
	}
	e, ok := table.Find(FamilyOf(t), TaskClass(d, t))
	if !ok {
		return nil
	}
	for _, v := range variants {
		if v.Name != e.Variant {
			continue
		}
		p, err := v.WithParams(e.Params)
		if err != nil {
			return nil
		}
		p.Why, p.Tuned = e.Why(), true
		return p
	}
	return nil
}

// WithParams plans v with the parameters that a table or the tuner gives.
func (v *Variant) WithParams(params map[string]int64) (p *Plan, err error) {
	switch {
	case v.Tuned != nil:
		p, err = Complete(v.Tuned(params))
	case len(params) == 0:
		p, err = Complete(v.Plan())
	default:
		return nil, fmt.Errorf("ocl: variant %s has no parameters", v.Name)
	}
	if err == nil {
		p.Variant = v.Name
	}
	return p, err
}

// TaskClass is the class of the collapsed task t, by which its fastest kernel is looked up: the
// types, how the operands lie in memory, and the sizes to the nearest power of two. Tasks of one
// class share an entry.
func TaskClass(d *facts.Device, t *engine.Task) string {
	if f := FamilyFor(t); f != nil && f.Class != nil {
		return f.Class(d, t)
	}
	if t.Kind == engine.Routine {
		return fmt.Sprintf("%v %s", t.Ins[0].DType, t.Algorithm)
	}
	return DTypes(t) + GroupSizes(t)
}

// GroupSizes writes how many points each group of axes has.
func GroupSizes(t *engine.Task) (sizes string) {
	for g := range t.Groups {
		sizes += Bucket("x", t.Size(g))
	}
	return sizes
}

// FoldClass is the class of tasks that fold rows: the folded types and the layout of rows.
func FoldClass(_ *facts.Device, t *engine.Task) string {
	var b strings.Builder
	for _, f := range t.Folds {
		fmt.Fprintf(&b, "%s ", f.Monoid)
	}
	fmt.Fprintf(&b, "%s %s", DTypes(t), Layout(t.Folds[0].Value, access.Axes(t, 1)))
	return b.String() + Bucket("rows", t.Size(0)) + Bucket("cols", t.Size(1))
}

// DTypes names the dtypes of the first load for the first output and of that output, once where they are equal.
func DTypes(t *engine.Task) string {
	out := t.Outs[0].DType
	exprs := t.Exprs()
	if t.Kind == engine.Contract {
		exprs = []*engine.Expr{t.A}
	}
	from := tensor.Invalid
	for _, e := range exprs {
		if from = firstLoad(e); from != tensor.Invalid {
			break
		}
	}
	if from == out || from == tensor.Invalid {
		return out.String()
	}
	return from.String() + "-" + out.String()
}

func firstLoad(e *engine.Expr) tensor.DType {
	for s := range e.Walk() {
		if s.Op == engine.OpLoad {
			return s.DType
		}
	}
	return tensor.Invalid
}

// Layout says whether the last of some axes runs along memory.
func Layout(e *engine.Expr, axes []int) string {
	if len(axes) == 0 {
		return "one"
	}
	switch s := access.Stride(e, axes[len(axes)-1]); {
	case s < 0:
		return "gather"
	case s <= 4:
		return "near"
	}
	return "far"
}

// Bucket writes n to the nearest power of two, in octaves.
func Bucket(name string, n int64) string {
	octave := 0
	if n > 0 {
		octave = bits.Len64(uint64(n)) - 1
		// Above 2^(octave + 1/2), of which 181/128 is the root.
		if octave < 50 && n*128 > 181<<octave {
			octave++
		}
	}
	return fmt.Sprintf(" %s%d", name, int64(1)<<octave)
}
