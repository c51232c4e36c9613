package ocl

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// tunedPlan is the plan of the table's entry for t, nil where there is none or it
// does not fit this task or device: then the rule decides, as without a table.
func tunedPlan(d *deviceFacts, t *engine.Task, variants []variant) *plan {
	table := d.tuned.load()
	if table.Len() == 0 {
		return nil
	}
	e, ok := table.Find(familyOf(t), taskClass(d, t))
	if !ok {
		return nil
	}
	for _, v := range variants {
		if v.name != e.Variant {
			continue
		}
		p, err := v.withParams(e.Params)
		if err != nil {
			return nil
		}
		p.why, p.tuned = e.Why(), true
		return p
	}
	return nil
}

// withParams plans v with the parameters that a table or the tuner gives.
func (v *variant) withParams(params map[string]int64) (p *plan, err error) {
	switch {
	case v.tuned != nil:
		p, err = complete(v.tuned(params))
	case len(params) == 0:
		p, err = complete(v.plan())
	default:
		return nil, fmt.Errorf("ocl: variant %s has no parameters", v.name)
	}
	if err == nil {
		p.variant = v.name
	}
	return p, err
}

// taskClass is what decides which kernel runs the collapsed task t fastest: the
// types, how the operands lie in memory, and the sizes to the nearest power of
// two. Tasks of one class share an entry.
func taskClass(d *deviceFacts, t *engine.Task) string {
	var b strings.Builder
	switch t.Kind {
	case engine.Map:
		fmt.Fprintf(&b, "%s %s", dtypes(t), layout(t.Values[0], axesOf(t, 0)))
		rows, cols := mapView(d, t)
		bucket(&b, "rows", extent(t, rows))
		bucket(&b, "cols", extent(t, cols))
	case engine.Reduce, engine.Row:
		for _, f := range t.Folds {
			fmt.Fprintf(&b, "%s ", f.Monoid)
		}
		fmt.Fprintf(&b, "%s %s", dtypes(t), layout(t.Folds[0].Value, axesOf(t, 1)))
		bucket(&b, "rows", t.Size(0))
		bucket(&b, "cols", t.Size(1))
	case engine.Contract:
		c := separate(d, t, false)
		fmt.Fprintf(&b, "%s %s%s", dtypes(t), c.lies(c.a, aRow, aSum), c.lies(c.bb, bColumn, bSum))
		if steady(t, t.A) || steady(t, t.B) {
			b.WriteString(" steady") // packed once and not in every run
		}
		bucket(&b, "b", c.b)
		bucket(&b, "m", c.m)
		bucket(&b, "n", c.n)
		bucket(&b, "k", c.k)
	case engine.Routine:
		fmt.Fprintf(&b, "%v %s", t.Ins[0].DType, t.Algorithm)
	default:
		b.WriteString(dtypes(t))
		if a := t.Attention; a != nil {
			fmt.Fprintf(&b, " pass%d", a.Pass)
		}
		for g := range t.Groups {
			bucket(&b, "x", t.Size(g))
		}
	}
	return b.String()
}

// dtypes are those of the first output and of what is loaded first for it.
func dtypes(t *engine.Task) string {
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

// layout says whether the last of some axes runs along memory.
func layout(e *engine.Expr, axes []int) string {
	if len(axes) == 0 {
		return "one"
	}
	switch s := step(e, axes[len(axes)-1]); {
	case s < 0:
		return "gather"
	case s <= 4:
		return "near"
	}
	return "far"
}

// lies is one letter for how an operand lies: along k, along its own direction,
// in windows of k, or otherwise.
func (c *contraction) lies(l operandLoad, own, sum int) string {
	axes := c.axes(own)
	switch {
	case !l.plain:
		return "?"
	case l.run != 0:
		return "w"
	case l.step == 1:
		return "k"
	case len(axes) > 0 && l.coef[axes[len(axes)-1]] == 1:
		return "n"
	}
	return "s"
}

// bucket writes n to the nearest power of two, in octaves.
func bucket(b *strings.Builder, name string, n int64) {
	octave := 0
	if n > 0 {
		octave = bits.Len64(uint64(n)) - 1
		// Above 2^(octave + 1/2), of which 181/128 is the root.
		if octave < 50 && n*128 > 181<<octave {
			octave++
		}
	}
	fmt.Fprintf(b, " %s%d", name, int64(1)<<octave)
}
