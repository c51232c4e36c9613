package main

import (
	"testing"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/ops/optest"
)

// renamed is an engine of this module's own.
type renamed struct{ engine.Engine }

func (renamed) Name() string { return "outside" }

func open(testing.TB) engine.Engine { return renamed{fallback.New(nil)} }

func TestSeam(t *testing.T) { optest.TestSeam(t, open) }

func TestOps(t *testing.T) {
	optest.TestOps(t, open(t), &optest.Options{Ops: []string{"add", "matmul"}})
}
