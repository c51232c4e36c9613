package ops

import (
	"errors"
	"fmt"
	"math"

	"github.com/anycl/anycl/tensor"
)

// What the optimisers share. An optimiser adds to the graph the derivative of a
// loss with respect to variables, and returns the updates that move them: name
// these in [Target].Updates, and every Run is one step.

// training is one optimiser being built.
type training struct {
	name   string
	graph  *Graph
	params []*Node
	grads  []*Node // widened
	rate   float64
	feed   *Node // the scheduled rate, if any
}

// train checks what every optimiser is given, differentiates, and lets build
// add the updates, all in the optimiser's name.
func train(name string, loss *Node, params []*Node, rate float64, schedule *Node, options error, build func(t *training) []*Node) []*Node {
	all := append([]*Node{loss}, params...)
	if schedule != nil {
		all = append(all, schedule)
	}
	for _, n := range all {
		if n == nil || n.graph != all[0].graph {
			return []*Node{apply(name, nil, all...)} // which fails, and says why
		}
	}
	g := loss.graph
	g.scope = append(g.scope, scope{name: name, caller: callerLine()})
	defer func() { g.scope = g.scope[:len(g.scope)-1] }()
	err := errors.Join(options, checkTraining(params, rate, schedule))
	if err != nil {
		return []*Node{g.fail(name, params, err)}
	}
	t := &training{name: name, graph: g, params: params, rate: rate, feed: schedule}
	for _, d := range Gradients(loss, params...) {
		if d.bad {
			return []*Node{d}
		}
		t.grads = append(t.grads, widen(d))
	}
	return build(t)
}

func checkTraining(params []*Node, rate float64, schedule *Node) error {
	if len(params) == 0 {
		return errors.New("there are no parameters")
	}
	seen := map[*Node]bool{}
	for i, p := range params {
		switch {
		case p.bad:
		case !IsVariable(p):
			return fmt.Errorf("parameter %d is %v, not a variable (make it with Graph.Variable)", i, p)
		case seen[p]:
			return fmt.Errorf("parameter %d, %v, is given twice", i, p)
		}
		seen[p] = true
	}
	if schedule != nil && !schedule.bad && (schedule.Rank() != 0 || !schedule.dtype.IsFloat()) {
		return fmt.Errorf("the schedule is %v%v, not a scalar float", schedule.dtype, schedule.shape)
	}
	return within("learning rate", rate, 0, math.MaxFloat64)
}

// within reports a v outside [lo, hi], or NaN.
func within(what string, v, lo, hi float64) error {
	if v >= lo && v <= hi {
		return nil
	}
	if hi == math.MaxFloat64 {
		return fmt.Errorf("%s %v is negative or not finite", what, v)
	}
	return fmt.Errorf("%s %v is outside [%v, %v)", what, v, lo, math.Nextafter(hi, 2))
}

// below1 is the largest float64 under 1.
var below1 = math.Nextafter(1, 0)

// state is a new variable of zeros beside parameter i. It is at least float32,
// so that small steps add up.
func (t *training) state(i int, what string) *Node {
	zeros, err := tensor.New(t.grads[i].dtype, t.grads[i].shape...)
	if err != nil {
		return t.graph.fail(t.name, t.params, err)
	}
	return t.graph.Variable(t.params[i].label()+"."+what, zeros)
}

// step is the update p - rate · d of parameter i.
func (t *training) step(i int, d *Node) *Node {
	p := widen(t.params[i])
	rate := ScalarLike(p, t.rate)
	if t.feed != nil {
		rate = Cast(t.feed, p.dtype)
	}
	return Assign(t.params[i], Cast(Sub(p, Mul(rate, d)), t.params[i].dtype))
}

// orDefault is v, or what stands for its zero value.
func orDefault(v, zero float64) float64 {
	if v == 0 {
		return zero
	}
	return v
}
