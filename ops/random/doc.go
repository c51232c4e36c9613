// Package random draws from the distributions of NumPy's Generator that package ops does not have, and makes points that fill a cube more
// evenly than random ones.
//
// Parameters are nodes, float32 or float64, that broadcast: there is a draw for each element, in their dtype, anew at every Run. As all
// random numbers of a graph, draws are functions of its seed, the run and the position: every engine draws the same but for rounding,
// which decides of one draw in a million where trials are rejected. A parameter outside of its range gives NaN. Draws have no gradients
// by their random part; gradients by location and scale are the derivatives of the formulas. Errors, of the graph: parameters are not of
// one such dtype, or do not broadcast.
package random

import "github.com/anycl/anycl/ops"

func init() { ops.Helper() }
