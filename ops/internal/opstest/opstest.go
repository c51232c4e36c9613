// Package opstest holds helpers that the tests of package ops share: runtimes, tensors, engines whose times are made up. The tests are in
// packages below ops/internal/tests, by subject.
package opstest

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/anycl/anycl/internal/exec"
	"github.com/anycl/anycl/internal/plan"
	"github.com/anycl/anycl/internal/testcache"
	"github.com/anycl/anycl/internal/testdevices"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Main is TestMain: graphs are validated between passes, and the caches are the tests' own.
func Main(m *testing.M) {
	exec.Validate = true
	os.Exit(testcache.Run(m, testdevices.Hold))
}

// MainSettled is Main for packages that count allocations of a run, or take times. The functions before run first.
func MainSettled(m *testing.M, before ...func() error) {
	exec.Validate = true
	os.Exit(testcache.Run(m, append(before, settle)...))
}

// settle has the device measured before tests count allocations of a run. The runtime stays open, so that drivers which
// read their library for each context do so once.
func settle() error {
	rt, err := ops.Open(context.Background(), nil)
	if err != nil {
		return err
	}
	return rt.Settle(context.Background())
}

// Failed reports whether n could not be made.
func Failed(n *ops.Node) bool { return n.DType() == tensor.Invalid }

// Dims is the shape of n with the names of its open extents.
func Dims(n *ops.Node) string {
	names := make([]string, n.Rank())
	for i, d := range n.Shape() {
		names[i] = ops.DimName(d)
	}
	return "[" + strings.Join(names, " ") + "]"
}

// LendFrom makes values of a given number of bytes and more lie where the caller has them, until restore is called.
func LendFrom(bytes int64) (restore func()) {
	before := plan.AliasFrom
	plan.AliasFrom = bytes
	return func() { plan.AliasFrom = before }
}
