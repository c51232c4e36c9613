package optest

import (
	"testing"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/ops/optest/internal/seam"
)

// TestEngine runs the whole suite on the engine that open makes: the promises
// of the seam, every op, gradients, and random graphs. open is called several
// times; the engines it returns are closed by the suite.
func TestEngine(t *testing.T, open func(t testing.TB) engine.Engine) { testEngine(t, open, nil) }

// testEngine is TestEngine, of samples and of gradients apart from their special points those of some ops.
func testEngine(t *testing.T, open func(t testing.TB) engine.Engine, o *Options) {
	t.Run("seam", func(t *testing.T) { TestSeam(t, open) })
	t.Run("ops", func(t *testing.T) { TestOps(t, seam.Opened(t, open), o) })
	t.Run("gradients", func(t *testing.T) { TestGradients(t, seam.Opened(t, open), o) })
	t.Run("special points", func(t *testing.T) { TestSpecialPoints(t, seam.Opened(t, open), nil) })
	t.Run("graphs", func(t *testing.T) { TestGraphs(t, seam.Opened(t, open), 20) })
}

// TestSeam checks what package engine promises of memory, order, errors and
// lifetime.
func TestSeam(t *testing.T, open func(t testing.TB) engine.Engine) { seam.Test(t, open) }
