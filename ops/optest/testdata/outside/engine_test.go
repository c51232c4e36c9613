package main

import (
	"strings"
	"testing"

	"example.com/outside/lib"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest"
	"github.com/anycl/anycl/tensor"
)

// renamed is an engine of this module's own.
type renamed struct{ engine.Engine }

func (renamed) Name() string { return "outside" }

func open(testing.TB) engine.Engine { return renamed{fallback.New(nil)} }

func TestSeam(t *testing.T) { optest.TestSeam(t, open) }

func TestOps(t *testing.T) {
	optest.TestOps(t, open(t), &optest.Options{Ops: []string{"add", "matmul"}})
}

// A mistake in a call of a library's op is the caller's.
func TestMistakesAreOfTheCallerOfALibrary(t *testing.T) {
	g := ops.NewGraph("mistake")
	lib.Bump(g.Input("x", tensor.Float32, 3), 1, -1)
	if err := g.Err(); err == nil || !strings.Contains(err.Error(), "engine_test.go:") || !strings.Contains(err.Error(), "outside.bump") {
		t.Fatal(err)
	}
}
