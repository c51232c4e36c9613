package sparse

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Operator adds A·x to the graph, for a square A: [Matrix.Apply], or any function of nodes that is linear.
type Operator func(x *ops.Node) *ops.Node

// Options say how systems of equations are solved. The zero value and nil are right for many.
type Options struct {
	// Tolerance is the largest ‖b - A·x‖ relative to ‖b‖ of a solution; 0: 1e-5 for float32, 1e-10 for float64.
	Tolerance float64
	// Limit is the most iterations; 0: 1000.
	Limit int
	// Precondition approximates the inverse of A; nil: not.
	Precondition Preconditioner
	// Start is where the iteration begins; nil: 0.
	Start *ops.Node
	// Restart is after how many iterations [GMRES] begins anew; 0: 30.
	Restart int
	// History keeps the residual of each iteration.
	History bool
}

// Solution is the result of a solver, all nodes of the graph. No gradient goes through them.
type Solution struct {
	// X is the solution.
	X *ops.Node
	// Iterations is how many there were, int32, each a product with A; two in one of [BiCGSTAB].
	Iterations *ops.Node
	// Residual is ‖b - A·X‖ / ‖b‖, computed from X, and not the recurrence by which the iteration ends; 0 for b = 0.
	Residual *ops.Node
	// Converged says that the iteration ended because its residual met the tolerance, bool. Residual may be larger by rounding.
	Converged *ops.Node
	// Broken says that it ended because a number that it divides by vanished, was of the wrong sign or not finite, bool: A is singular
	// or not of the kind that the method is for, or has elements that are not finite. X is the solution before that.
	Broken *ops.Node
	// History has the relative residuals of the recurrence, [Limit + 1]: that of the start first, NaN after the last. nil unless asked for;
	// from [GMRES] one for each restart.
	History *ops.Node
}

// solver has the state that methods share.
type solver struct {
	name     string
	a        Operator
	b        *ops.Node
	o        Options
	m        Preconditioner
	fromZero bool
	norm2    *ops.Node // ‖b‖²
	goal     *ops.Node // ‖r‖² that is small enough
}

// newSolver checks operands; failed nodes are in the solution where something is wrong.
func newSolver(name string, a Operator, b *ops.Node, o *Options) (*solver, *Solution) {
	s := &solver{name: name, a: a, b: b}
	if o != nil {
		s.o = *o
	}
	fail := func(err error) (*solver, *Solution) {
		var n *ops.Node
		if failed(b) {
			n = failure(nil, b, name)
		} else {
			n = b.Graph().Fail(name, err, b)
		}
		return nil, &Solution{n, n, n, n, n, n}
	}
	switch dt := tensor.Float32; {
	case failed(b):
		return fail(nil)
	case a == nil:
		return fail(fmt.Errorf("the operator is nil"))
	case b.Rank() != 1 || b.DType() != tensor.Float32 && b.DType() != tensor.Float64:
		return fail(fmt.Errorf("b is %v%v, not float32 or float64 [n]", b.DType(), b.Shape()))
	case s.o.Tolerance < 0 || math.IsNaN(s.o.Tolerance) || s.o.Limit < 0 || s.o.Restart < 0:
		return fail(fmt.Errorf("a tolerance of %v, a limit of %d, restarts after %d", s.o.Tolerance, s.o.Limit, s.o.Restart))
	default:
		if s.o.Tolerance == 0 {
			if s.o.Tolerance = 1e-10; b.DType() == dt {
				s.o.Tolerance = 1e-5
			}
		}
	}
	if s.o.Limit == 0 {
		s.o.Limit = 1000
	}
	if s.o.Restart == 0 {
		s.o.Restart = 30
	}
	if s.m = s.o.Precondition; s.m == nil {
		s.m = func(r *ops.Node) *ops.Node { return r }
	}
	if s.o.Start == nil {
		s.o.Start, s.fromZero = ops.ZerosLike(b), true
	}
	s.norm2 = dot(b, b)
	s.goal = ops.Mul(s.norm2, s.o.Tolerance*s.o.Tolerance)
	if y := a(s.o.Start); !failed(y) && (y.Rank() != 1 || y.Dim(0) != b.Dim(0) || y.DType() != b.DType()) {
		return fail(fmt.Errorf("b is %v%v and A·x %v%v", b.DType(), b.Shape(), y.DType(), y.Shape()))
	}
	return s, nil
}

func dot(x, y *ops.Node) *ops.Node { return ops.Sum(ops.Mul(x, y)) }

// start is the residual of the start, which costs no product where that is 0.
func (s *solver) start() (x, r *ops.Node) {
	x = s.o.Start
	if s.fromZero {
		return x, s.b
	}
	return x, ops.Sub(s.b, s.a(x))
}

// loop runs body for as long as ‖r‖², value 0 of the state, is above the goal, there is no break-down, value 1, and iterations,
// value 2, are below the limit.
func (s *solver) loop(state []*ops.Node, limit int, body func(state []*ops.Node) []*ops.Node) []*ops.Node {
	g := s.b.Graph()
	head := []*ops.Node{state[0], g.Full(tensor.Bool, 0), g.Full(tensor.Int32, 0)}
	state = append(head, state[1:]...)
	if s.o.History {
		state = append(state, s.noted(g.Full(s.b.DType(), math.NaN(), limit+1), head[2], head[0]))
	}
	return ops.While(state, func(v []*ops.Node) *ops.Node {
		return ops.LogicalAnd(ops.Greater(v[0], s.goal), ops.LogicalAnd(ops.LogicalNot(v[1]), ops.Less(v[2], limit)))
	}, func(v []*ops.Node) []*ops.Node {
		n := len(v)
		if s.o.History {
			n--
		}
		next := body(append([]*ops.Node{v[0]}, v[3:n]...)) // rr, broken, others
		out := append([]*ops.Node{next[0], next[1], ops.Add(v[2], 1)}, next[2:]...)
		if s.o.History {
			out = append(out, s.noted(v[n], out[2], next[0]))
		}
		return out
	}, &ops.LoopOptions{Expect: min(limit, 50)})
}

// noted is a history with the residual of an iteration.
func (s *solver) noted(history, i, rr *ops.Node) *ops.Node {
	at := history.Graph().Iota(tensor.Int32, 0, history.Dim(0))
	return ops.Where(ops.Equal(at, i), s.relative(rr), history)
}

// relative is √(rr / ‖b‖²), 0 for b = 0.
func (s *solver) relative(rr *ops.Node) *ops.Node {
	return ops.Where(ops.Greater(s.norm2, 0.0), ops.Sqrt(ops.Div(rr, s.norm2)), ops.Where(ops.Greater(rr, 0.0), math.Inf(1), rr))
}

// solution is the result of a loop that has ended.
func (s *solver) solution(v []*ops.Node, x *ops.Node) *Solution {
	r := ops.Sub(s.b, s.a(x))
	converged := ops.LogicalAnd(ops.LessEqual(v[0], s.goal), ops.IsFinite(s.norm2))
	sol := &Solution{
		X: x, Iterations: v[2], Residual: s.relative(dot(r, r)), Converged: converged,
		Broken: ops.LogicalOr(v[1], ops.LogicalNot(ops.IsFinite(ops.Add(v[0], s.norm2)))),
	}
	if s.o.History {
		sol.History = v[len(v)-1]
	}
	return sol
}

// divided is a/b, and whether that is a number; else 0.
func divided(a, b *ops.Node) (q, fine *ops.Node) {
	q = ops.Div(a, b)
	fine = ops.IsFinite(q)
	return ops.Where(fine, q, 0.0), fine
}

// CG solves A·x = b, [n], for a symmetric positive definite A, by conjugate gradients, in a loop of the graph that stays on the device. A
// preconditioner must be symmetric positive definite too. Errors: see [Options]; b is not a vector of floats; shapes.
// Source: Hestenes and Stiefel, Methods of conjugate gradients for solving linear systems (1952); Saad, Iterative methods for sparse
// linear systems (2003), algorithm 9.1.
func CG(a Operator, b *ops.Node, o *Options) *Solution {
	s, bad := newSolver("sparse.CG", a, b, o)
	if bad != nil {
		return bad
	}
	x, r := s.start()
	rr := dot(r, r)
	z, rz := r, rr
	if s.o.Precondition != nil {
		z = s.m(r)
		rz = dot(r, z)
	}
	v := s.loop([]*ops.Node{rr, x, r, z, rz}, s.o.Limit, func(v []*ops.Node) []*ops.Node {
		x, r, p, rz := v[1], v[2], v[3], v[4]
		q, pq := withDot(s.a(p), p)
		alpha, fine := divided(rz, pq)
		fine = ops.LogicalAnd(fine, ops.LogicalAnd(ops.Greater(pq, 0.0), ops.Greater(rz, 0.0)))
		alpha = ops.Where(fine, alpha, 0.0)
		x = ops.Add(x, ops.Mul(alpha, p))
		r = ops.Sub(r, ops.Mul(alpha, q))
		rr := dot(r, r)
		z, rz1 := r, rr
		if s.o.Precondition != nil {
			z = s.m(r)
			rz1 = dot(r, z)
		}
		p = ops.Add(z, ops.Mul(ops.Div(rz1, rz), p))
		return []*ops.Node{rr, ops.LogicalNot(fine), x, r, p, rz1}
	})
	return s.solution(v, v[3])
}

// BiCGSTAB solves A·x = b, [n], for any regular A, by stabilised biconjugate gradients; an iteration has two products. A preconditioner
// works from the right. Otherwise as [CG].
// Source: van der Vorst, Bi-CGSTAB, a fast and smoothly converging variant of Bi-CG for the solution of nonsymmetric linear systems
// (1992).
func BiCGSTAB(a Operator, b *ops.Node, o *Options) *Solution {
	s, bad := newSolver("sparse.BiCGSTAB", a, b, o)
	if bad != nil {
		return bad
	}
	x, r := s.start()
	shadow, rr := r, dot(r, r)
	v := s.loop([]*ops.Node{rr, x, r, r, rr}, s.o.Limit, func(v []*ops.Node) []*ops.Node {
		x, r, p, rho := v[1], v[2], v[3], v[4] // rho = (shadow, r)
		pm := s.m(p)
		q := s.a(pm)
		alpha, fine := divided(rho, dot(shadow, q))
		half := ops.Sub(r, ops.Mul(alpha, q))
		hm := s.m(half)
		t := s.a(hm)
		tt := dot(t, t)
		omega := ops.Where(ops.Greater(tt, 0.0), ops.Div(dot(t, half), tt), 0.0) // half is 0 where t is
		fine = ops.LogicalAnd(fine, ops.LogicalAnd(ops.IsFinite(omega), ops.IsFinite(tt)))
		omega = ops.Where(fine, omega, 0.0)
		alpha = ops.Where(fine, alpha, 0.0)
		x1 := ops.Add(x, ops.Add(ops.Mul(alpha, pm), ops.Mul(omega, hm)))
		r1 := ops.Where(fine, ops.Sub(half, ops.Mul(omega, t)), r)
		x1 = ops.Where(fine, x1, x)
		rr := dot(r1, r1)
		rho1 := dot(shadow, r1)
		beta, going := divided(ops.Mul(rho1, alpha), ops.Mul(rho, omega))
		done := ops.LessEqual(rr, s.goal)
		broken := ops.LogicalOr(ops.LogicalNot(fine), ops.LogicalAnd(ops.LogicalNot(going), ops.LogicalNot(done)))
		p1 := ops.Add(r1, ops.Mul(beta, ops.Sub(p, ops.Mul(omega, q))))
		return []*ops.Node{rr, broken, x1, r1, p1, rho1}
	})
	return s.solution(v, v[3])
}
