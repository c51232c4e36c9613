package ocl

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/tuning"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// EnvVariant names the environment variable that forces kernel variants, as in
// "reduce=item,contract=tile". A variant that cannot run a task is not forced
// on it; one that does not exist is an error of ops.Open. "thread=caller", "thread=crew" and "thread=workers" force what graphs run on
// where a driver leaves the choice. "class=gpu" plans everything as for a GPU with the limits and
// capabilities of the device.
const EnvVariant = "ANYCL_VARIANT"

const forcedClass, forcedGPU = "class", "gpu"

// variant is one way to run a task.
type variant struct {
	name string                // as EnvVariant has it
	why  string                // it fits this task on this device: one phrase
	plan func() (*plan, error) // writes the program; called for the chosen one

	// What the tuner may change; all nil where there is nothing.
	space *kernels.Space
	rule  func() kernels.Params                 // what plan goes by
	tuned func(p kernels.Params) (*plan, error) // fails when p does not fit
}

// plan is how a task runs: launches in order, on an in-order queue. An empty
// output has none.
type plan struct {
	variant  string
	params   string // of the variant, as "wg=64 parts=4"
	why      string
	launches []launch
	scratch  []int64 // bytes of each scratch buffer; contents do not outlive the task
	kept     []int64 // bytes of each buffer that is the task's own, between runs too

	tuned  bool           // chosen by a table, not by rule
	values kernels.Params // of a variant that can be tuned, where the tuner set them
}

// launch is one kernel over one range. Global is a multiple of local; local of
// zeros leaves it to the driver. Ranges may have any number of dimensions up to
// three: the first 0 ends the list.
type launch struct {
	prog          *program
	kernel        string
	global, local [3]int
	sizes         map[string]int64 // named sizes whose values differ from the program's
	once          bool             // what it writes is kept until steady inputs change
}

// makePlan plans t, which need not be collapsed, for a device. force is the
// value of EnvVariant: a family in it goes by rule and not by the tuning table,
// which may be nil.
func makePlan(d *deviceFacts, table *tuning.Table, t *engine.Task, force string) (*plan, error) {
	t, variants, err := variantsOf(d, t)
	if err != nil {
		return nil, err
	}
	if len(variants) == 0 {
		return &plan{variant: "none", why: "the outputs are empty"}, nil
	}
	want := forcedName(force, familyOf(t))
	if want == "" && !t.Reproducible {
		if p := tunedPlan(d, table, t, variants); p != nil {
			return p, nil
		}
	}
	v, why := variants[0], variants[0].why
	if want != "" && want != v.name {
		why += fmt.Sprintf(" (%s=%s cannot run it)", familyOf(t), want)
		for _, o := range variants[1:] {
			if o.name == want {
				v, why = o, EnvVariant
			}
		}
	}
	p, err := complete(v.plan())
	if err != nil {
		return nil, fmt.Errorf("ocl: plan %s as %s: %w", t, v.name, err)
	}
	p.variant, p.why = v.name, why
	return p, nil
}

// complete is p, unless one of its programs could not be written.
func complete(p *plan, err error) (*plan, error) {
	if err != nil {
		return nil, err
	}
	for _, l := range p.launches {
		if l.prog.err != nil {
			return nil, l.prog.err
		}
	}
	return p, nil
}

// variantsOf collapses t and lists the ways to run it, best first by rule. There
// is none for a task without outputs.
func variantsOf(d *deviceFacts, t *engine.Task) (*engine.Task, []variant, error) {
	if t.Kind != engine.Custom {
		if !slices.ContainsFunc(t.Outs, func(o engine.Operand) bool { return o.Len > 0 }) {
			return t, nil, nil
		}
	}
	t = collapse(t)
	var variants []variant
	if f := familyFor(t); f != nil {
		variants = f.choose(d, t)
	}
	if len(variants) == 0 {
		return nil, nil, fmt.Errorf("ocl: no kernel for %s on %s: %w", t, d.name, engine.ErrUnsupported)
	}
	return t, variants, nil
}

// forcedName is the variant that the list s demands for a family, or "".
func forcedName(s, name string) string {
	for part := range strings.SplitSeq(s, ",") {
		if n, v, ok := strings.Cut(strings.TrimSpace(part), "="); ok && n == name {
			return v
		}
	}
	return ""
}

// forcible are the names that a list of variants may have, by family.
func forcible() map[string][]string {
	all := variantNames()
	all[siteName] = []string{siteCaller, siteCrew, siteWorkers}
	all[forcedClass] = []string{forcedGPU}
	return all
}

// CheckVariants says what is wrong with a list of variants, as EnvVariant has it: a part that is
// not family=name, a family or a variant that does not exist, a family that is named twice.
func CheckVariants(list string) error {
	known, seen := forcible(), map[string]bool{}
	for part := range strings.SplitSeq(list, ",") {
		part = strings.TrimSpace(part)
		family, name, ok := strings.Cut(part, "=")
		names := known[family]
		switch {
		case part == "":
		case !ok:
			return fmt.Errorf("%q is not family=variant, as contract=tile", part)
		case names == nil:
			return fmt.Errorf("there is no family %q; there are: %s", family, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		case !slices.Contains(names, name):
			return fmt.Errorf("%s has no variant %q; it has: %s", family, name, strings.Join(names, ", "))
		case seen[family]:
			return fmt.Errorf("%s is named twice", family)
		}
		seen[family] = part != ""
	}
	return nil
}

// CheckEnvironment is CheckVariants for EnvVariant.
func CheckEnvironment() error {
	if err := CheckVariants(forcedByEnv()); err != nil {
		return fmt.Errorf("ocl: %s=%s: %w", EnvVariant, forcedByEnv(), err)
	}
	return nil
}

func forcedByEnv() string { return os.Getenv(EnvVariant) }

// axesOf are the axes of group g of t.
func axesOf(t *engine.Task, g int) []int {
	from, to := t.Group(g)
	axes := make([]int, 0, to-from)
	for a := from; a < to; a++ {
		axes = append(axes, a)
	}
	return axes
}

// step tells how far apart in memory the elements lie that neighbours along
// axis a read: the worst of all loads of e, -1 where it cannot be told.
func step(e *engine.Expr, a int) int64 {
	worst := int64(0)
	for s := range e.Walk() {
		if s.Op != engine.OpLoad {
			continue
		}
		for _, t := range s.Addr.Terms {
			switch t.Atom.Kind {
			case engine.AtomAxis:
				if t.Atom.Axis == a {
					worst = max(worst, t.Coef, -t.Coef)
				}
			case engine.AtomData:
				if uses(t.Atom.Data, []int{a}) {
					return -1
				}
			default:
				if uses(engine.IndexValue(tensor.Int64, t.Atom.X), []int{a}) {
					return -1
				}
			}
		}
	}
	return worst
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }

func roundUp(a, b int64) int64 { return ceilDiv(a, b) * b }

// grid is a range of whole groups, checked against what an int holds.
func grid(n ...int64) (g [3]int) {
	for i, v := range n {
		g[i] = int(min(v, math.MaxInt))
	}
	return g
}
