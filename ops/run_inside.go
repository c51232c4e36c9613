package ops

import (
	"github.com/anycl/anycl/internal/backend"
	"github.com/anycl/anycl/internal/exec"
	"github.com/anycl/anycl/internal/store"
	"github.com/anycl/anycl/ops/internal/inside"
)

// Gives tests in other packages access to unexported state.
func init() {
	inside.Executor = func(x any) *exec.Executor { return x.(*Executable).executor }
	inside.WithExecutor = func(x any, e *exec.Executor) any {
		of := x.(*Executable)
		return &Executable{rt: of.rt, graph: of.graph, inputs: of.inputs, shapes: of.shapes, executor: e}
	}
	inside.Plans = func(x any) int { return x.(*Executable).open.count }
	inside.Machine = func(rt any) *exec.Machine { return &rt.(*Runtime).exec }
	inside.Opened = func(rt any) *backend.Device { return rt.(*Runtime).opened }
	inside.Variable = func(n any) *store.Variable { return n.(*Node).state }
}
