// Package inside gives tests access to unexported parts of package ops. The tests are in packages of their own, by subject; ops sets
// these functions when a program begins, and nothing but tests calls them. Arguments are of types of ops, which cannot be named here:
// ops imports this package.
package inside

import (
	"github.com/anycl/anycl/internal/backend"
	"github.com/anycl/anycl/internal/exec"
	"github.com/anycl/anycl/internal/store"
)

var (
	// Executor is the executor of an *ops.Executable whose sizes are numbers.
	Executor func(x any) *exec.Executor
	// WithExecutor is a copy of an *ops.Executable that another executor runs.
	WithExecutor func(x any, e *exec.Executor) any
	// Plans is how many plans an *ops.Executable with open sizes has.
	Plans func(x any) int
	// Machine is the part of an *ops.Runtime that executors use.
	Machine func(rt any) *exec.Machine
	// Opened is the device of an *ops.Runtime.
	Opened func(rt any) *backend.Device
	// Variable holds the value of the variable that an *ops.Node is.
	Variable func(n any) *store.Variable
)
