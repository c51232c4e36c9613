// Package families registers every kernel family of the project: what plans tasks imports it.
package families

import (
	_ "github.com/anycl/anycl/internal/ocl/attention"
	_ "github.com/anycl/anycl/internal/ocl/contract"
	_ "github.com/anycl/anycl/internal/ocl/custom"
	_ "github.com/anycl/anycl/internal/ocl/factor"
	_ "github.com/anycl/anycl/internal/ocl/maps"
	_ "github.com/anycl/anycl/internal/ocl/reduce"
	_ "github.com/anycl/anycl/internal/ocl/routine"
	_ "github.com/anycl/anycl/internal/ocl/row"
	_ "github.com/anycl/anycl/internal/ocl/scatter"
)
