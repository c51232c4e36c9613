package sparse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/internal/dense"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// EigenOptions say how eigenpairs are found. The zero value and nil are right for many.
type EigenOptions struct {
	// Smallest finds the lowest eigenvalues; else the highest ones.
	Smallest bool
	// Tolerance is the largest ‖A·v - λ·v‖ relative to the largest |λ| that was seen; 0: 1e-5 for float32, 1e-10 for float64.
	Tolerance float64
	// Space is the dimension of the space that is searched, with the vectors that a restart keeps, from k + 2 to n; 0: the larger of 20
	// and 2k + 10, at most n.
	Space int
	// Limit is the most restarts; 0: 300.
	Limit int
	// Place is where graphs run.
	Place ops.Place
}

// Eigen are eigenpairs of a symmetric operator.
type Eigen struct {
	// Values are the eigenvalues, those at the end that was asked for first.
	Values []float64
	// Vectors has an eigenvector of length 1 in each row, [k, n].
	Vectors *tensor.Tensor
	// Residuals are estimates of ‖A·v - λ·v‖ for each, right but for rounding.
	Residuals []float64
	// Products is how many times A was applied, Restarts how often the space was cut down.
	Products, Restarts int
	// Converged says that all residuals meet the tolerance.
	Converged bool
}

// Eigs finds k eigenvalues at one end of the spectrum of a symmetric operator on vectors of length n, float32 or float64, and their
// vectors, by Lanczos's method with thick restarts and full orthogonalisation. build makes the operator for a graph, as
//
//	func(g *ops.Graph) sparse.Operator { return sparse.Const(g, m).Apply }
//
// Vectors stay on the device; a small matrix is diagonalised on the host at each restart. When all pairs have converged, a space from a
// random direction looks for others, such as further vectors of the same eigenvalue. Eigenvalues near zero of A are the far ends of the
// spectrum of A⁻¹, an operator that solves a system: where they are wanted, this converges much faster. When the limit is reached, pairs
// are returned as they are then, and Converged is false. Errors: k is not from 1 to n - 1 or the space not from k + 2 to n; another dtype;
// those of the graph and of running it, as of a context that ends; the operator gives numbers that are not finite.
// Source: Wu and Simon, Thick-restart Lanczos method for large symmetric eigenvalue problems (2000).
func Eigs(ctx context.Context, rt *ops.Runtime, n int, dt tensor.DType, build func(g *ops.Graph) Operator, k int,
	o *EigenOptions) (e *Eigen, err error) {
	if o == nil {
		o = new(EigenOptions)
	}
	l := &lanczos{n: n, k: k, m: o.Space, dt: dt, o: *o}
	if l.o.Tolerance == 0 {
		if l.o.Tolerance = 1e-10; dt == tensor.Float32 {
			l.o.Tolerance = 1e-5
		}
	}
	if l.m == 0 {
		l.m = min(max(20, 2*k+10), n)
	}
	switch l.o.Limit = cmp.Or(l.o.Limit, 300); {
	case dt != tensor.Float32 && dt != tensor.Float64:
		return nil, fmt.Errorf("sparse.Eigs: the dtype is %v, not float32 or float64", dt)
	case build == nil:
		return nil, errors.New("sparse.Eigs: the operator is nil")
	case k < 1 || k >= n || l.m < min(k+2, n) || l.m > n || l.o.Limit < 0 || !(l.o.Tolerance > 0):
		return nil, fmt.Errorf("sparse.Eigs: %d eigenvalues of %d in a space of %d, %d restarts, tolerance %v", k, n, l.m, l.o.Limit,
			l.o.Tolerance)
	}
	if err := l.compile(ctx, rt, build); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.exe.Close()) }()
	return l.run(ctx)
}

// lanczos is a search: m vectors and one more are the rows of the variable v.
type lanczos struct {
	n, k, m int
	dt      tensor.DType
	o       EigenOptions

	exe *ops.Executable
	v   *ops.Node
	// Inputs: the matrix by which the rows of v are turned, how many are kept, and whether the one after these is to be another direction.
	turn, from, fresh *ops.Node
}

// compile makes the graph of a restart: v = turn · v, then rows from+1 to m of it, and of each of these the projections on all.
func (l *lanczos) compile(ctx context.Context, rt *ops.Runtime, build func(g *ops.Graph) Operator) (err error) {
	g := ops.NewGraph("eigs")
	first, err := tensor.New(l.dt, l.m+1, l.n)
	if err != nil {
		return err
	}
	seed, norm := uint64(1), 0.0
	for i := range l.n { // a start that is not orthogonal to anything in particular
		seed = seed*6364136223846793005 + 1442695040888963407
		x := float64(seed>>11)*0x1p-53 - 0.5
		first.SetFloat64(i, x)
		norm += x * x
	}
	for i := range l.n {
		first.SetFloat64(i, first.Float64At(i)/math.Sqrt(norm))
	}
	l.v = g.Variable("v", first)
	l.turn, l.from, l.fresh = g.Input("turn", l.dt, l.m+1, l.m+1), g.Input("from", tensor.Int64), g.Input("fresh", tensor.Bool)
	apply := build(g)
	if apply == nil {
		return errors.New("sparse.Eigs: the operator is nil")
	}
	row, at := g.Iota(tensor.Int64, 0, l.m+1, 1), g.Iota(tensor.Int64, 0, l.m+1)
	v := ops.MatMul(l.turn, l.v)
	v = ops.Where(ops.LogicalAnd(l.fresh, ops.Equal(row, l.from)), ops.Reshape(unit(beside(v, g.Normal(l.dt, l.n))), 1, l.n), v)
	start := []*ops.Node{l.from, v, g.Zeros(l.dt, l.m, l.m+1)}
	last := ops.While(start, func(s []*ops.Node) *ops.Node { return ops.Less(s[0], l.m) }, func(s []*ops.Node) []*ops.Node {
		j, v, h := s[0], s[1], s[2]
		w := apply(ops.Gather(v, 0, j))
		if !failed(w) && (w.Rank() != 1 || w.Dim(0) != l.n || w.DType() != l.dt) {
			w = g.Fail("sparse.Eigs", fmt.Errorf("the operator gives %v%v, not %v[%d]", w.DType(), w.Shape(), l.dt, l.n), w)
		}
		before := ops.Sqrt(dot(w, w))
		p := projected(v, w)
		w = ops.Sub(w, combined(v, p))
		q := projected(v, w)
		w = ops.Sub(w, combined(v, q))
		p = ops.Add(p, q)
		length := ops.Sqrt(dot(w, w))
		// Where nothing is left the space is one of eigenvectors, and goes on with any other direction.
		nothing := ops.LessEqual(length, ops.Mul(before, 10*epsilon(l.dt)))
		w = unit(ops.Where(nothing, beside(v, g.Normal(l.dt, l.n)), w))
		length = ops.Where(nothing, 0.0, length)
		after := ops.Add(j, 1)
		p = ops.Where(ops.Equal(at, after), length, p)
		return []*ops.Node{
			after,
			ops.Where(ops.Equal(row, after), ops.Reshape(w, 1, l.n), v),
			ops.Where(ops.Equal(g.Iota(tensor.Int64, 0, l.m, 1), j), ops.Reshape(p, 1, l.m+1), h),
		}
	}, &ops.LoopOptions{Expect: l.m - l.k})
	l.exe, err = g.Compile(ctx, rt, ops.Target{Outputs: last[2:], Updates: []*ops.Node{ops.Assign(l.v, last[1])}, Place: l.o.Place})
	return err
}

// beside is w without its parts along the rows of v, which are orthonormal or 0.
func beside(v, w *ops.Node) *ops.Node {
	for range 2 {
		w = ops.Sub(w, combined(v, projected(v, w)))
	}
	return w
}

// unit is w with the length 1, or 0.
func unit(w *ops.Node) *ops.Node {
	size := ops.Sqrt(dot(w, w))
	return ops.Where(ops.Greater(size, 0.0), ops.Div(w, size), 0.0)
}

func (l *lanczos) run(ctx context.Context) (*Eigen, error) {
	e := new(Eigen)
	var kept []float64 // the values of the first rows
	turn := dense.New(l.m+1, l.m+1)
	turn.Data[0] = 1
	scale, fresh := 0.0, false
	for ; ; e.Restarts++ {
		h, err := l.extend(ctx, turn, len(kept), fresh)
		if err != nil {
			return nil, err
		}
		e.Products += l.m - len(kept)
		// A in the space: known for the kept vectors, and row by row for the rest.
		t := dense.New(l.m, l.m)
		for i, v := range kept {
			t.Data[i*l.m+i] = v
		}
		for j := len(kept); j < l.m; j++ {
			for i := range j + 1 {
				v := h[j*(l.m+1)+i]
				t.Data[i*l.m+j], t.Data[j*l.m+i] = v, v
			}
		}
		if slices.ContainsFunc(t.Data, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
			return nil, errors.New("sparse.Eigs: the operator gives numbers that are not finite")
		}
		values := dense.Symmetric(t, true, true) // ascending; t has a vector in each column
		rest := h[l.m*(l.m+1)-1]
		pick := func(i int) int { // the i-th best
			if l.o.Smallest {
				return i
			}
			return l.m - 1 - i
		}
		scale = max(scale, math.Abs(values[0]), math.Abs(values[l.m-1]))
		before := e.Values
		e.Values, e.Residuals = nil, nil
		for i := range l.k {
			e.Values = append(e.Values, values[pick(i)])
			e.Residuals = append(e.Residuals, math.Abs(rest*t.Data[(l.m-1)*l.m+pick(i)]))
		}
		e.Converged = slices.Max(e.Residuals) <= l.o.Tolerance*scale
		keep := min(l.k+(l.m-l.k)/2, l.m-1)
		clear(turn.Data)
		kept = kept[:0]
		for i := range keep {
			kept = append(kept, values[pick(i)])
			for j := range l.m {
				turn.Data[i*(l.m+1)+j] = t.Data[j*l.m+pick(i)]
			}
		}
		turn.Data[keep*(l.m+1)+l.m] = 1
		confirmed := fresh
		for i, v := range e.Values {
			confirmed = confirmed && math.Abs(v-before[i]) <= 2*l.o.Tolerance*scale
		}
		if fresh = e.Converged && !confirmed; fresh {
			turn.Data[keep*(l.m+1)+l.m] = 0
		}
		if e.Converged && confirmed || e.Restarts >= l.o.Limit || l.m == l.n {
			e.Converged = e.Converged || l.m == l.n
			e.Vectors, err = l.vectors(ctx, turn)
			return e, err
		}
	}
}

// extend runs a restart and returns the projections, [m, m + 1].
func (l *lanczos) extend(ctx context.Context, turn dense.Matrix, kept int, fresh bool) ([]float64, error) {
	t, err := tensor.New(l.dt, l.m+1, l.m+1)
	if err != nil {
		return nil, err
	}
	for i, v := range turn.Data {
		t.SetFloat64(i, v)
	}
	out, err := l.exe.Run(ctx, ops.Feeds{l.turn: t, l.from: tensor.Scalar(int64(kept)), l.fresh: tensor.Scalar(fresh)})
	if err != nil {
		return nil, err
	}
	h := make([]float64, 0, out[0].Len())
	for _, v := range out[0].All() {
		h = append(h, v)
	}
	return h, nil
}

// vectors are the first k rows of turn · v.
func (l *lanczos) vectors(ctx context.Context, turn dense.Matrix) (*tensor.Tensor, error) {
	v, err := ops.Value(ctx, l.v)
	if err != nil {
		return nil, err
	}
	if l.dt == tensor.Float32 {
		return turned[float32](l, turn, v)
	}
	return turned[float64](l, turn, v)
}

func turned[T interface {
	Number
	tensor.Elem
}](l *lanczos, turn dense.Matrix, v *tensor.Tensor) (*tensor.Tensor, error) {
	rows, x := elements[T](v), make([]T, l.k*l.n)
	inParallel(l.k, func(next func() (int, bool)) {
		sum := make([]float64, l.n)
		for i, ok := next(); ok; i, ok = next() {
			clear(sum)
			for j := range l.m {
				f := turn.Data[i*(l.m+1)+j]
				for c, w := range rows[j*l.n : (j+1)*l.n] {
					sum[c] += f * float64(w)
				}
			}
			norm := 0.0
			for _, s := range sum {
				norm += s * s
			}
			for c, s := range sum {
				x[i*l.n+c] = T(s / math.Sqrt(norm))
			}
		}
	})
	return tensor.FromSlice(x, l.k, l.n)
}
