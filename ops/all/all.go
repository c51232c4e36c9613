// Package all enters the ops of every package below ops, and of sparse, in the table, for programs that call ops by name, as importers of
// models do:
//
//	import _ "github.com/anycl/anycl/ops/all"
package all

import (
	_ "github.com/anycl/anycl/ops/fft"
	_ "github.com/anycl/anycl/ops/linalg"
	_ "github.com/anycl/anycl/ops/nbody"
	_ "github.com/anycl/anycl/ops/special"
	_ "github.com/anycl/anycl/ops/stencil"
	_ "github.com/anycl/anycl/sparse"
)
