package fallback

import (
	"context"
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/dense"
	"github.com/anycl/anycl/tensor"
)

// factoring decomposes a batch of matrices in float64, each matrix by itself.
type factoring struct {
	routine
	batch int64
	each  func(b int64) error
	err   []error // of each worker
	do    job
}

// newFactoring is for so many matrices, of which each decomposes one.
func (c *compiler) newFactoring(batch int64, how string, each func(b int64) error) *factoring {
	f := &factoring{batch: batch, each: each, err: make([]error, c.width)}
	f.routine = c.routine(300*float64(batch)+c.task.Cost().Flops/4, how)
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

func (f *factoring) run(ctx context.Context, p *pool) error {
	clear(f.err)
	if err := p.run(ctx, f.batch, f.wide && f.batch > 1, f.do); err != nil {
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
func (c *compiler) matrixOf(i int, b, rows, cols int64) dense.Matrix {
	m := dense.New(int(rows), int(cols))
	n := int(rows * cols)
	if c.task.Ins[i].DType == tensor.Float64 {
		copy(m.Data, typed[float64](c.ins[i])[int(b)*n:])
		return m
	}
	for k, v := range typed[float32](c.ins[i])[int(b)*n:][:n] {
		m.Data[k] = float64(v)
	}
	return m
}

// putMatrix stores m, whose rows adjoin, as matrix b of output i, if somebody reads it.
func (c *compiler) putMatrix(i int, b int64, m dense.Matrix) {
	at := int(b) * len(m.Data)
	switch {
	case !c.task.Reads(i):
	case c.task.Outs[i].DType == tensor.Float64:
		copy(typed[float64](c.outs[i])[at:], m.Data)
	default:
		for k, v := range m.Data {
			typed[float32](c.outs[i])[at+k] = float32(v)
		}
	}
}

// putInts stores numbers as those of matrix b in output i, if somebody reads it.
func putInts[T int | int32](c *compiler, i int, b int64, more int, vs ...T) {
	if !c.task.Reads(i) {
		return
	}
	to := typed[int32](c.outs[i])[int(b)*len(vs):]
	for k, v := range vs {
		to[k] = int32(int(v) + more)
	}
}

func newCholesky(c *compiler, a *engine.Cholesky) runner {
	return c.newFactoring(a.Batch, "LAPACK in float64", func(b int64) error {
		m := c.matrixOf(0, b, a.N, a.N)
		info := dense.Cholesky(m, false)
		c.putMatrix(0, b, m)
		putInts(c, 1, b, 0, info)
		return nil
	})
}

func newLU(c *compiler, a *engine.LU) runner {
	return c.newFactoring(a.Batch, "LAPACK in float64", func(b int64) error {
		m := c.matrixOf(0, b, a.M, a.N)
		pivots, info := dense.LU(m)
		c.putMatrix(0, b, m)
		putInts(c, 1, b, 1, pivots...)
		putInts(c, 2, b, 0, dense.Permutation(int(a.M), pivots)...)
		putInts(c, 3, b, 0, info)
		return nil
	})
}

func newQR(c *compiler, a *engine.QR) runner {
	return c.newFactoring(a.Batch, "LAPACK in float64", func(b int64) error {
		q, r := dense.QR(c.matrixOf(0, b, a.M, a.N), int(a.Columns))
		c.putMatrix(0, b, q)
		c.putMatrix(1, b, r)
		return nil
	})
}

func newTriangular(c *compiler, a *engine.Triangular) runner {
	rows, cols := a.N, a.Columns
	if a.Right {
		rows, cols = cols, rows
	}
	return c.newFactoring(a.Batch, "BLAS in float64", func(b int64) error {
		x := c.matrixOf(1, b, rows, cols)
		dense.SolveTriangular(c.matrixOf(0, b, a.N, a.N), x, dense.Triangle{Upper: a.Upper, Transposed: a.Transposed, Unit: a.Unit, Right: a.Right})
		c.putMatrix(0, b, x)
		return nil
	})
}
