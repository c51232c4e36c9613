package optest_test

import (
	"testing"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/ops/optest"
)

// The CPU path is there on every machine: the suite is shown at work on it.
func TestCPUPathConforms(t *testing.T) {
	optest.TestEngine(t, func(testing.TB) engine.Engine { return fallback.New(nil) })
}
