// Package kernels holds the OpenCL C of every kernel family and what is to be
// known to launch it: text and data, nothing that runs.
//
// A kernel file is written against a few small hooks, macros that its header
// names. The host fills them for a task and compiles the result; prelude.cl
// stands before every file.
//
//	map       element-wise chains, copies, transposes, pads, gathers, casts, random numbers (random.cl)
//	reduce    sums and extremes over axes, with the folds of monoid.cl; pooling
//	row       several folds of a row and what they make of it: softmax, normalisation, losses, their gradients
//	contract  matrix products, batched and matrix-vector ones, and every convolution and its gradients
//	scatter   additions at positions read from memory
//	attention softmax(Q·K^T)·V and its gradients, without the matrix between
//	scan      running sums
//	trees     decision trees
//	rank      sorts, and the first of one
//	unique    what is different, after a sort
//	suppress  boxes that overlap none with a higher score
//
// Convolution and pooling have no files of their own: a sliding window is an
// index map, so they are a contraction and a reduction whose loads go through
// one. See docs/design/tasks.md.
package kernels

import (
	"embed"
	"strings"
)

//go:embed *.cl
var files embed.FS

// Text is the content of a kernel file, such as "reduce.cl".
func Text(name string) string {
	b, err := files.ReadFile(name)
	if err != nil {
		panic("kernels: no file " + name) // a misspelt constant of this module
	}
	return strings.ReplaceAll(string(b), "\r\n", "\n")
}
