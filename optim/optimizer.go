package optim

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Options are what an [Optimizer] does beside its rule. The zero value is the rule alone.
type Options struct {
	// Groups are parameters that are moved by rules of their own. They need not be among those that New is given.
	Groups []Group
	// Schedule is a factor of every rate by the number of steps that were made; nil: 1.
	Schedule Schedule
	// Factor is a scalar float of the graph that multiplies every rate, such as an input that is fed in each run, or
	// the variable of a [Plateau].
	Factor *ops.Node

	// ClipValue bounds every element of a gradient to ±ClipValue; 0: no bound.
	ClipValue float64
	// ClipNorm shortens the gradient of each parameter to that Euclidean norm; 0: no bound.
	ClipNorm float64
	// ClipGlobalNorm shortens all gradients together to that Euclidean norm, as PyTorch's clip_grad_norm_; 0: no bound.
	ClipGlobalNorm float64

	// Accumulate is how many runs, each with a micro-batch, make one step, whose gradient is the mean of theirs; 0: 1.
	Accumulate int
	// Scale is for losses of float16: see [LossScale].
	Scale *LossScale
	// Average keeps averages of the parameters: see [Average].
	Average *Average
}

// Group is parameters with a rule of their own, one of another rate or of no weight decay, for example.
type Group struct {
	Params []*ops.Node
	Rule   Rule
}

// Optimizer moves variables along the gradient of a loss.
type Optimizer struct {
	o      Options
	graph  *ops.Graph
	groups []Group
	params []*ops.Node // of all groups
	of     []int       // the group of each
	err    error

	state     map[stateKey]*ops.Node
	variables []*ops.Node
	count     *ops.Node // steps that were made
	micro     *ops.Node // micro-batches since

	rate, norm *ops.Node // of what was built last
}

// stateKey is a parameter, or a group as a number below 0, and the name of what is kept for it.
type stateKey struct {
	param int
	name  string
}

// New returns an optimiser that moves params, variables of one graph, by rule. Parameters that are in a group are moved by
// the rule of that. Errors, which are the graph's once a step is built: a parameter is no float variable, is given twice in one list, or
// in two groups; an option is out of range.
func New(rule Rule, params []*ops.Node, o Options) *Optimizer {
	z := &Optimizer{o: o, state: map[stateKey]*ops.Node{}}
	grouped := map[*ops.Node]bool{}
	for _, g := range o.Groups {
		for _, p := range g.Params {
			grouped[p] = true
		}
	}
	rest := slices.DeleteFunc(slices.Clone(params), func(p *ops.Node) bool { return grouped[p] })
	z.groups = append([]Group{{rest, rule}}, o.Groups...)
	for i, g := range z.groups {
		for _, p := range g.Params {
			z.params, z.of = append(z.params, p), append(z.of, i)
		}
	}
	z.err = z.check()
	if len(z.params) > 0 && z.params[0] != nil {
		z.graph = z.params[0].Graph()
	}
	if z.err == nil {
		z.prepare()
	}
	return z
}

func (z *Optimizer) check() error {
	if len(z.params) == 0 {
		return errors.New("there are no parameters")
	}
	seen := map[*ops.Node]bool{}
	for i, p := range z.params {
		switch {
		case p == nil:
			return fmt.Errorf("parameter %d is nil", i)
		case !ops.IsVariable(p):
			return fmt.Errorf("parameter %d is %v, not a variable (make it with Graph.Variable)", i, p)
		case !p.DType().IsFloat():
			return fmt.Errorf("parameter %d is %v, not a float", i, p)
		case p.Graph() != z.params[0].Graph():
			return fmt.Errorf("parameter %d, %v, is of another graph", i, p)
		case seen[p]:
			return fmt.Errorf("parameter %d, %v, is given twice", i, p)
		}
		seen[p] = true
	}
	var errs []error
	for i, g := range z.groups {
		if g.Rule == nil {
			errs = append(errs, fmt.Errorf("group %d has no rule", i))
			continue
		}
		if err := errors.Join(g.Rule.Check(), notNegative("learning rate", g.Rule.Rate())); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", g.Rule.Name(), err))
		}
	}
	o := z.o
	errs = append(errs, notNegative("ClipValue", o.ClipValue), notNegative("ClipNorm", o.ClipNorm),
		notNegative("ClipGlobalNorm", o.ClipGlobalNorm))
	if o.Accumulate < 0 {
		errs = append(errs, fmt.Errorf("a step of %d micro-batches", o.Accumulate))
	}
	if f := o.Factor; f != nil && (f.Graph() != z.params[0].Graph() || f.Rank() != 0 || !f.DType().IsFloat()) {
		errs = append(errs, fmt.Errorf("the factor of the rate is %v, not a scalar float of the graph", f))
	}
	if o.Scale != nil {
		errs = append(errs, o.Scale.check())
	}
	if o.Average != nil {
		errs = append(errs, o.Average.check())
	}
	return errors.Join(errs...)
}

// prepare makes the variables that every step has.
func (z *Optimizer) prepare() {
	z.count = z.keepVariable("optim.step", tensor.Scalar(int64(0)))
	if z.o.Accumulate > 1 {
		z.micro = z.keepVariable("optim.micro", tensor.Scalar(int64(0)))
	}
	z.o.Scale.prepare(z)
	z.o.Average.prepare(z)
	// Rules make their state when they are asked for a step; so they are once, and the names do not
	// depend on whether one was built.
	b := &building{z: z, now: z.count, dry: true}
	for i := range z.params {
		b.move(i, wide(z.params[i]))
	}
}

// variable makes a variable of the state.
func (z *Optimizer) variable(name string, dt tensor.DType, start float64, shape ...int) *ops.Node {
	t, err := tensor.New(dt, shape...)
	if err != nil {
		return z.graph.Fail("optim", err)
	}
	if start != 0 {
		for i := range t.Len() {
			t.SetFloat64(i, start)
		}
	}
	return z.keepVariable(name, t)
}

func (z *Optimizer) keepVariable(name string, t *tensor.Tensor) *ops.Node {
	v := z.graph.Variable(name, t)
	z.variables = append(z.variables, v)
	return v
}

// Variables are all that the optimiser keeps from step to step, beside the parameters, in an order that does not
// change: the state of a checkpoint. [ops.Node.Name] gives their names.
func (z *Optimizer) Variables() []*ops.Node { return slices.Clone(z.variables) }

// Params are the parameters that the optimiser moves.
func (z *Optimizer) Params() []*ops.Node { return slices.Clone(z.params) }

// Steps is the variable that counts steps, an int64 scalar.
func (z *Optimizer) Steps() *ops.Node { return z.count }

// Rate is the learning rate of the first group in the step that was built last, a scalar, for a run that returns it. nil before Minimize.
func (z *Optimizer) Rate() *ops.Node { return z.rate }

// GlobalNorm is the Euclidean norm of all gradients of the step that was built last, before they are clipped. nil before Minimize.
func (z *Optimizer) GlobalNorm() *ops.Node {
	if z.norm == nil {
		return nil
	}
	return ops.Sqrt(z.norm)
}

// Minimize returns the updates of one step down the gradient of the loss, a scalar float, for [ops.Target].Updates. It
// is what [ops.DataParallelOptions].Optimizer wants. Errors: those of New and of [ops.Gradients].
func (z *Optimizer) Minimize(loss *ops.Node) []*ops.Node {
	if z.err != nil || loss == nil {
		return z.failed(loss)
	}
	return z.named(func() []*ops.Node {
		if s := z.o.Scale; s != nil {
			loss = ops.Mul(loss, ops.Cast(s.scale, loss.DType()))
		}
		return z.update(ops.Gradients(loss, z.params...), true)
	})
}

// Apply returns the updates of one step down gradients that the caller has computed, one for each of Params, in that order. They
// are not scaled, whatever Options.Scale says. Errors: those of New; a gradient has another shape than its parameter.
func (z *Optimizer) Apply(gradients []*ops.Node) []*ops.Node {
	if z.err != nil {
		return z.failed(nil)
	}
	if len(gradients) != len(z.params) {
		z.err = fmt.Errorf("%d gradients for %d parameters", len(gradients), len(z.params))
		return z.failed(nil)
	}
	return z.named(func() []*ops.Node { return z.update(gradients, false) })
}

// named builds in the name of the first rule.
func (z *Optimizer) named(build func() []*ops.Node) (updates []*ops.Node) {
	z.graph.Named(z.groups[0].Rule.Name(), func() { updates = build() })
	return updates
}

func (z *Optimizer) failed(loss *ops.Node) []*ops.Node {
	g, err := z.graph, z.err
	if g == nil && loss != nil {
		g = loss.Graph()
	}
	if err == nil {
		err = errors.New("the loss is nil")
	}
	name := "optim"
	if r := z.groups[0].Rule; r != nil {
		name = r.Name()
	}
	return []*ops.Node{g.Fail(name, err)}
}
