package routine

import (
	"context"
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
	"github.com/anycl/anycl/internal/dense"
	"github.com/anycl/anycl/tensor"
)

// factoring decomposes a batch of matrices in float64, each matrix by itself.
type factoring struct {
	routine
	batch int64
	each  func(b int64) error
	err   []error // of each worker
	do    work.Job
}

// newFactoring is for a batch of matrices, of which each call of each decomposes one.
func newFactoring(c *work.Setup, batch int64, how string, each func(b int64) error) *factoring {
	return newSlowFactoring(c, batch, 300*float64(batch)+c.Task.Cost().Flops/4, how, each)
}

// newSlowFactoring is newFactoring for a factorisation that takes ns nanoseconds.
func newSlowFactoring(c *work.Setup, batch int64, ns float64, how string, each func(b int64) error) *factoring {
	f := &factoring{batch: batch, each: each, err: make([]error, c.Width)}
	f.routine = routineOf(c, ns, how)
	f.do = func(worker int, i int64) {
		defer func() {
			if r := recover(); r != nil {
				f.err[worker] = fmt.Errorf("fallback: LAPACK refused a matrix: %v", r)
			}
		}()
		if err := f.each(i); err != nil {
			f.err[worker] = err
		}
	}
	return f
}

func (f *factoring) Run(ctx context.Context, p *work.Pool) error {
	clear(f.err)
	if err := p.Run(ctx, f.batch, f.wide && f.batch > 1, f.do); err != nil {
		return err
	}
	for _, err := range f.err {
		if err != nil {
			return err
		}
	}
	return nil
}

// matrixOf is a copy in float64 of matrix b of operand i.
func matrixOf(c *work.Setup, i int, b, rows, cols int64) dense.Matrix {
	m := dense.New(int(rows), int(cols))
	n := int(rows * cols)
	if c.Task.Ins[i].DType == tensor.Float64 {
		copy(m.Data, work.Typed[float64](c.Ins[i])[int(b)*n:])
		return m
	}
	for k, v := range work.Typed[float32](c.Ins[i])[int(b)*n:][:n] {
		m.Data[k] = float64(v)
	}
	return m
}

// putMatrix stores m, whose rows adjoin, as matrix b of output i, if somebody reads it.
func putMatrix(c *work.Setup, i int, b int64, m dense.Matrix) {
	at := int(b) * len(m.Data)
	switch {
	case !c.Task.Reads(i):
	case c.Task.Outs[i].DType == tensor.Float64:
		copy(work.Typed[float64](c.Outs[i])[at:], m.Data)
	default:
		for k, v := range m.Data {
			work.Typed[float32](c.Outs[i])[at+k] = float32(v)
		}
	}
}

// putInts stores numbers as those of matrix b in output i, if somebody reads it.
func putInts[T int | int32](c *work.Setup, i int, b int64, more int, vs ...T) {
	if !c.Task.Reads(i) {
		return
	}
	to := work.Typed[int32](c.Outs[i])[int(b)*len(vs):]
	for k, v := range vs {
		to[k] = int32(int(v) + more)
	}
}

func newCholesky(c *work.Setup, a *engine.Cholesky) work.Runner {
	return newFactoring(c, a.Batch, "LAPACK in float64", func(b int64) error {
		m := matrixOf(c, 0, b, a.N, a.N)
		info := dense.Cholesky(m, false)
		putMatrix(c, 0, b, m)
		putInts(c, 1, b, 0, info)
		return nil
	})
}

func newLU(c *work.Setup, a *engine.LU) work.Runner {
	return newFactoring(c, a.Batch, "LAPACK in float64", func(b int64) error {
		m := matrixOf(c, 0, b, a.M, a.N)
		pivots, info := dense.LU(m)
		putMatrix(c, 0, b, m)
		putInts(c, 1, b, 1, pivots...)
		putInts(c, 2, b, 0, dense.Permutation(int(a.M), pivots)...)
		putInts(c, 3, b, 0, info)
		return nil
	})
}

func newQR(c *work.Setup, a *engine.QR) work.Runner {
	return newFactoring(c, a.Batch, "LAPACK in float64", func(b int64) error {
		q, r := dense.QR(matrixOf(c, 0, b, a.M, a.N), int(a.Columns))
		putMatrix(c, 0, b, q)
		putMatrix(c, 1, b, r)
		return nil
	})
}

func newTriangular(c *work.Setup, a *engine.Triangular) work.Runner {
	rows, cols := a.N, a.Columns
	if a.Right {
		rows, cols = cols, rows
	}
	return newFactoring(c, a.Batch, "BLAS in float64", func(b int64) error {
		x := matrixOf(c, 1, b, rows, cols)
		dense.SolveTriangular(matrixOf(c, 0, b, a.N, a.N), x, dense.Triangle{Upper: a.Upper, Transposed: a.Transposed, Unit: a.Unit,
			Right: a.Right})
		putMatrix(c, 0, b, x)
		return nil
	})
}

// iterativeNs is how long LAPACK's iterations take, in nanoseconds: those of a small matrix are calls of functions for vectors of few
// elements.
func iterativeNs(c *work.Setup, batch, n int64) float64 {
	return float64(batch)*(300+1700*float64(n)) + c.Task.Cost().Flops/2.5
}

func newSVD(c *work.Setup, a *engine.SVD) work.Runner {
	return newSlowFactoring(c, a.Batch, iterativeNs(c, a.Batch, min(a.M, a.N)), "LAPACK in float64", func(b int64) error {
		m := matrixOf(c, 0, b, a.M, a.N)
		if !c.Task.Reads(0) && !c.Task.Reads(2) {
			putMatrix(c, 1, b, dense.Matrix{Data: dense.SingularValues(m)})
			return nil
		}
		u, s, vt := dense.SVD(m, a.Full)
		putMatrix(c, 0, b, u)
		putMatrix(c, 1, b, dense.Matrix{Data: s})
		putMatrix(c, 2, b, vt)
		return nil
	})
}

func newEigh(c *work.Setup, a *engine.Eigh) work.Runner {
	return newSlowFactoring(c, a.Batch, iterativeNs(c, a.Batch, a.N), "LAPACK in float64", func(b int64) error {
		m := matrixOf(c, 0, b, a.N, a.N)
		w := dense.Symmetric(m, a.Upper, c.Task.Reads(1))
		putMatrix(c, 0, b, dense.Matrix{Data: w})
		putMatrix(c, 1, b, m)
		return nil
	})
}
