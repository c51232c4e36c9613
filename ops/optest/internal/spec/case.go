package spec

import "github.com/anycl/anycl/tensor"

// Case is one call of an op, for its reference.
type Case struct {
	In   []Array
	Attr any // as in [Sample]
	// DType and Shape are those that the graph inferred for the result. References
	// use them only where nothing else says it: a cast, an iota.
	DType tensor.DType
	Shape []int
	// Stream is the number of the random tensor in its graph, from 1.
	Stream uint32
}

// Result is the result of a reference: the exact numbers, up to the error of
// float64, and those that the error bound needs.
type Result struct {
	Array
	// Terms, if not nil, is Σ|terms| for every element of the result of a sum:
	// rounding errors are relative to it and not to the sum itself.
	Terms []float64
	// N is how many roundings a term goes through.
	N float64
}

// Reference computes one op.
type Reference func(c Case) Result
