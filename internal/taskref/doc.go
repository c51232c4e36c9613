// Package taskref is the reference implementation of tasks, written as directly as possible: one
// point at a time, no order but the obvious one, no block, no fusion. Tests compare engines with it.
//
// Registers have the types of the engine package (float32 for the half types), but
// sums, products and contractions of floats are folded in float64 and rounded
// once, so that an engine's own order of summation is judged by its error.
package taskref
