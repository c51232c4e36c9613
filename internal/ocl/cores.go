package ocl

import "github.com/anycl/anycl/engine"

var _ engine.Cored = (*Engine)(nil)

// Cores is how many of the host's processors a task keeps busy: none but on a CPU driver.
func (e *Engine) Cores(*engine.Task) int {
	if !e.facts.CPU {
		return 0
	}
	return e.facts.Units
}

// Limits are what fits into a kernel's arguments.
func (e *Engine) Limits() engine.Limits {
	return engine.Limits{Buffers: max(e.facts.Operands(), 1)}
}
