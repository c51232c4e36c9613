package main

import (
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/linalg"
	"github.com/anycl/anycl/tensor"
)

// logistic returns the scores x·w of rows x [n, features] by logistic regression, fitted to the rows of mask 1 by Newton's method: with
// p = 1/(1 + exp(-x·w)), a step solves
//
//	(Σ p (1-p) x x') d = Σ (y - p) x,   w = w + d
//
// Source: Hastie, Tibshirani and Friedman, The Elements of Statistical Learning (2009), section 4.4.1.
func logistic(x, label, mask *ops.Node, steps int) *ops.Node {
	g := x.Graph()
	n := x.Shape()[0]
	x = ops.Concat(1, x, g.Ones(tensor.Float32, n, 1))
	features := x.Shape()[1]
	small := ops.Mul(g.Eye(tensor.Float32, features, features, 0), 1e-3) // for columns that are the same
	last, _ := ops.Scan([]*ops.Node{g.Zeros(tensor.Float32, features, 1)}, nil, func(_ *ops.Node, s, _ []*ops.Node) (next, _ []*ops.Node) {
		p := ops.Sigmoid(ops.Reshape(ops.MatMul(x, s[0]), n))
		weight := ops.Mul(ops.Mul(p, ops.Sub(1, p)), mask)
		error := ops.Mul(ops.Sub(label, p), mask)
		columns := ops.Transpose(x)
		curvature := ops.Add(ops.MatMul(ops.Mul(columns, weight), x), small)
		// A matrix of 29 x 29 is factored on the CPU, whatever the rest runs on.
		step := ops.Put(linalg.Solve(curvature, ops.MatMul(columns, ops.Reshape(error, n, 1)), nil), ops.OnCPU)
		return []*ops.Node{ops.Add(s[0], step)}, nil
	}, &ops.ScanOptions{Trips: steps})
	return ops.Reshape(ops.MatMul(x, last[0]), n)
}
