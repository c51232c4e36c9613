package optest

import (
	"testing"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
)

// The CPU path is there on every machine: the suite is shown at work on it. Tests of the root package run all samples and gradients
// of all ops there.
func TestCPUPathConforms(t *testing.T) {
	some := &Options{Ops: []string{
		"add", "exp", "less", "where", "cast", "reshape", "slice", "concat", "gather", "scatter_add", "sum", "argmax", "cumsum", "sort", "matmul",
		"conv2d", "max_pool2d", "softmax", "attention", "lstm", "tree_ensemble", "linalg.cholesky",
	}}
	testEngine(t, func(testing.TB) engine.Engine { return fallback.New(nil) }, some)
}
