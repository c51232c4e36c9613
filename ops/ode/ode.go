// Package ode integrates batches of ordinary differential equations in loops of the graph, which stay on the device.
package ode

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/build"
	"github.com/anycl/anycl/tensor"
)

func init() { ops.Helper() }

// System adds dy/dt to the graph: t is [b, 1], y and the result are [b, n]. Rows of the batch do not depend on each other.
type System func(t, y *ops.Node) *ops.Node

// Options say how [RK45] chooses steps. The zero value and nil are right for many.
type Options struct {
	// Relative and Absolute bound the error of a step: the mean square over y of error/(Absolute + Relative·|y|) is at most 1. 0: 1e-3 and
	// 1e-6.
	Relative, Absolute float64
	// First is the first step; 0: a hundredth of the time.
	First float64
	// Limit is the most steps, those that are tried again among them; 0: 10,000.
	Limit int
	// Times are times from the first to the last for which the solution is wanted too, in any order.
	Times []float64
}

// Solution is the result of [RK45].
type Solution struct {
	// Y is the solution at the end, [b, n]; of rows that have not come so far, where they are.
	Y *ops.Node
	// At is the solution at Options.Times, [times, b, n], by interpolation of the fourth order; NaN where a row has not come so far. nil
	// without times.
	At *ops.Node
	// T is the time of each row, [b].
	T *ops.Node
	// Finished says which rows have reached the end, bool [b]. The others have met the limit, or something that is not finite.
	Finished *ops.Node
	// Steps is how many there were of the row that took most, int32.
	Steps *ops.Node
}

// The coefficients of Dormand and Prince, and of the interpolation of Shampine.
var (
	nodes  = [...]float64{0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1}
	stages = [...][]float64{
		{},
		{1.0 / 5},
		{3.0 / 40, 9.0 / 40},
		{44.0 / 45, -56.0 / 15, 32.0 / 9},
		{19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
		{9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
		{35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
	}
	errorOf = [...]float64{-71.0 / 57600, 0, 71.0 / 16695, -71.0 / 1920, 17253.0 / 339200, -22.0 / 525, 1.0 / 40}
	between = [...][7]float64{ // by powers of the share of a step
		{1, 0, 0, 0, 0, 0, 0},
		{-8048581381.0 / 2820520608, 0, 131558114200.0 / 32700410799, -1754552775.0 / 470086768, 127303824393.0 / 49829197408,
			-282668133.0 / 205662961, 40617522.0 / 29380423},
		{8663915743.0 / 2820520608, 0, -68118460800.0 / 10900136933, 14199869525.0 / 1410260304, -318862633887.0 / 49829197408,
			2019193451.0 / 616988883, -110615467.0 / 29380423},
		{-12715105075.0 / 11282082432, 0, 87487479700.0 / 32700410799, -10690763975.0 / 1880347072, 701980252875.0 / 199316789632,
			-1453857185.0 / 822651844, 69997945.0 / 29380423},
	}
)

// weighted is Σ c[i]·k[i].
func weighted(k []*ops.Node, c []float64) (sum *ops.Node) {
	for i, w := range c {
		switch {
		case w == 0:
		case sum == nil:
			sum = ops.Mul(k[i], w)
		default:
			sum = ops.Add(sum, ops.Mul(k[i], w))
		}
	}
	return sum
}

// RK45 solves dy/dt = f(t, y) from y0 [b, n], float32 or float64, at the time from to the time to, which is later. Each row has steps of
// its own, by the pair of orders 5 and 4 of Dormand and Prince; rows that have finished wait for the others. Errors, of the graph: dtype;
// shapes; times or bounds that make no sense.
// Source: Dormand and Prince, A family of embedded Runge-Kutta formulae (1980); Shampine, Some practical Runge-Kutta formulas (1986).
func RK45(f System, y0 *ops.Node, from, to float64, o *Options) *Solution {
	if o == nil {
		o = new(Options)
	}
	r := &runge{f: f, from: from, to: to, o: *o}
	if err := r.check(y0); err != nil {
		n := failure(y0, err)
		return &Solution{n, n, n, n, n}
	}
	return r.solve(y0)
}

// failure is a failed node of y0's graph.
func failure(y0 *ops.Node, err error) *ops.Node {
	switch {
	case y0 == nil:
		return ops.Add(y0, y0)
	case build.Failed(y0):
		return y0
	}
	return y0.Graph().Fail("ode", err, y0)
}

// runge is an integration.
type runge struct {
	f        System
	from, to float64
	o        Options
}

func (r *runge) check(y0 *ops.Node) error {
	if err := checkState(y0); err != nil {
		return err
	}
	if r.o.Relative == 0 && r.o.Absolute == 0 {
		r.o.Relative, r.o.Absolute = 1e-3, 1e-6
	}
	if r.o.Limit == 0 {
		r.o.Limit = 10_000
	}
	if r.o.First == 0 {
		r.o.First = (r.to - r.from) / 100
	}
	switch o := r.o; {
	case r.f == nil:
		return errors.New("the system is nil")
	case !(r.to > r.from) || math.IsInf(r.to-r.from, 0):
		return fmt.Errorf("from the time %v to %v", r.from, r.to)
	case !(o.Relative >= 0 && o.Absolute >= 0 && o.First > 0) || o.Limit < 0:
		return fmt.Errorf("bounds of %v and %v, a first step of %v, a limit of %d", o.Relative, o.Absolute, o.First, o.Limit)
	case slices.ContainsFunc(o.Times, func(t float64) bool { return !(t >= r.from && t <= r.to) }):
		return fmt.Errorf("times %v are not all from %v to %v", o.Times, r.from, r.to)
	}
	return nil
}

func checkState(y0 *ops.Node) error {
	switch {
	case y0 == nil || build.Failed(y0):
		return errors.New("the state is nil, or has failed")
	case y0.Rank() != 2 || y0.DType() != tensor.Float32 && y0.DType() != tensor.Float64:
		return fmt.Errorf("the state is %v%v, not float32 or float64 [b, n]", y0.DType(), y0.Shape())
	}
	return nil
}

// slope is f, checked.
func (r *runge) slope(t, y *ops.Node) *ops.Node {
	k := r.f(t, y)
	if k == nil || !build.Failed(k) && (k.DType() != y.DType() || !slices.Equal(k.Shape(), y.Shape())) {
		return y.Graph().Fail("ode", fmt.Errorf("dy/dt is %v and y %v%v", k, y.DType(), y.Shape()), y)
	}
	return k
}

func (r *runge) solve(y0 *ops.Node) *Solution {
	g, dt, b := y0.Graph(), y0.DType(), y0.Dim(0)
	t, h := g.Full(dt, r.from, b, 1), g.Full(dt, r.o.First, b, 1)
	state := []*ops.Node{t, h, y0, r.slope(t, y0), g.Full(tensor.Int32, 0)}
	var times *ops.Node
	if len(r.o.Times) > 0 {
		times = ops.Cast(g.Const(tensor.Must(tensor.FromSlice(r.o.Times, len(r.o.Times), 1, 1))), dt)
		state = append(state, ops.Where(ops.LessEqual(times, r.from), ops.Reshape(y0, 1, b, y0.Dim(1)), math.NaN()))
	}
	last := ops.While(state, func(s []*ops.Node) *ops.Node {
		going := ops.And(ops.Less(s[0], r.to), ops.And(ops.IsFinite(s[1]), ops.Greater(ops.Add(s[0], s[1]), s[0])))
		return ops.And(ops.Any(going), ops.Less(s[4], r.o.Limit))
	}, func(s []*ops.Node) []*ops.Node {
		next, at := r.step(s[:4], times)
		next = append(next, ops.Add(s[4], 1))
		if times != nil {
			next = append(next, ops.Where(at.reached, at.y, s[5]))
		}
		return next
	}, &ops.LoopOptions{Expect: 100})
	s := &Solution{Y: last[2], T: ops.Reshape(last[0], b), Steps: last[4]}
	s.Finished = ops.GreaterEqual(s.T, r.to)
	if times != nil {
		s.At = last[5]
	}
	return s
}

// reached is the solution at times, and where it belongs to a step.
type reached struct{ y, reached *ops.Node }

// step tries a step from t, h, y and dy/dt.
func (r *runge) step(s []*ops.Node, times *ops.Node) (next []*ops.Node, at reached) {
	t, h, y := s[0], s[1], s[2]
	left := ops.Sub(r.to, t)
	going := ops.Greater(left, 0.0)
	h = ops.Minimum(h, left)
	k := []*ops.Node{s[3]}
	var y1 *ops.Node
	for i := 1; i < len(stages); i++ {
		y1 = ops.Add(y, ops.Mul(h, weighted(k, stages[i])))
		k = append(k, r.slope(ops.Add(t, ops.Mul(h, nodes[i])), y1))
	}
	scale := ops.Add(r.o.Absolute, ops.Mul(r.o.Relative, ops.Maximum(ops.Abs(y), ops.Abs(y1))))
	e := ops.Div(ops.Mul(h, weighted(k, errorOf[:])), scale)
	norm := ops.Sqrt(ops.Reshape(ops.Mean(ops.Square(e), 1), h.Shape()...))
	good := ops.And(going, ops.LessEqual(norm, 1.0))
	factor := ops.Clamp(ops.Mul(0.9, ops.Pow(norm, -0.2)), 0.2, 10.0)
	factor = ops.Where(ops.IsFinite(norm), factor, 0.2) // the system left where it is defined
	after := ops.Where(ops.LessEqual(left, h), r.to, ops.Add(t, h))
	next = []*ops.Node{
		ops.Where(good, after, t), ops.Where(going, ops.Mul(h, factor), s[1]), ops.Where(good, y1, y), ops.Where(good, k[6], s[3]),
	}
	if times != nil {
		share := ops.Div(ops.Sub(times, t), h)
		at.reached = ops.And(good, ops.And(ops.Greater(times, t), ops.LessEqual(times, after)))
		sum := weighted(k, between[3][:])
		for j := 2; j >= 0; j-- {
			sum = ops.Add(weighted(k, between[j][:]), ops.Mul(share, sum))
		}
		at.y = ops.Add(y, ops.Mul(ops.Mul(h, share), sum))
	}
	return next, at
}

// Leapfrog moves positions x [b, n] with velocities v by accelerations a(x), in steps of h, as many as steps says, and returns both at
// the end. It keeps the volume of phase space, so energies of oscillators and orbits do not drift; the error is of the second order.
// every > 0 collects positions once in that number of steps, [steps/every, b, n]; else path is nil. Errors, of the graph: shapes; steps
// is not positive, or no multiple of every.
// Source: Verlet, Computer experiments on classical fluids (1967), in the form of velocities.
func Leapfrog(a func(x *ops.Node) *ops.Node, x, v *ops.Node, h float64, steps, every int) (position, velocity, path *ops.Node) {
	err := errors.Join(checkState(x), checkState(v))
	switch {
	case err != nil:
	case a == nil:
		err = errors.New("the acceleration is nil")
	case x.DType() != v.DType() || !slices.Equal(x.Shape(), v.Shape()):
		err = fmt.Errorf("positions are %v%v and velocities %v%v", x.DType(), x.Shape(), v.DType(), v.Shape())
	case steps < 1 || every < 0 || every > 0 && steps%every != 0 || math.IsNaN(h) || math.IsInf(h, 0):
		err = fmt.Errorf("%d steps of %v, of which every %d is wanted", steps, h, every)
	}
	if err != nil {
		n := failure(x, err)
		return n, n, n
	}
	r := &runge{f: func(_, x *ops.Node) *ops.Node { return a(x) }}
	once := func(s []*ops.Node) []*ops.Node {
		w := ops.Add(s[1], ops.Mul(s[2], h/2))
		x := ops.Add(s[0], ops.Mul(w, h))
		force := r.slope(nil, x)
		return []*ops.Node{x, ops.Add(w, ops.Mul(force, h/2)), force}
	}
	state := []*ops.Node{x, v, r.slope(nil, x)}
	if every == 0 {
		last, _ := ops.Scan(state, nil, func(_ *ops.Node, s, _ []*ops.Node) (next, y []*ops.Node) { return once(s), nil },
			&ops.ScanOptions{Trips: steps})
		return last[0], last[1], nil
	}
	last, rows := ops.Scan(state, nil, func(_ *ops.Node, s, _ []*ops.Node) (next, y []*ops.Node) {
		if every == 1 {
			next = once(s)
		} else {
			next, _ = ops.Scan(s, nil, func(_ *ops.Node, s, _ []*ops.Node) (next, y []*ops.Node) { return once(s), nil },
				&ops.ScanOptions{Trips: every})
		}
		return next, []*ops.Node{next[0]}
	}, &ops.ScanOptions{Trips: steps / every})
	return last[0], last[1], rows[0]
}
