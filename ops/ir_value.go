package ops

import (
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/store"
	"github.com/anycl/anycl/tensor"
)

// value is a tensor in memory: fed, constant, a variable, or made by a task.
type value struct {
	node   *IRNode // what it is
	DType  tensor.DType
	len    int64
	addr   *engine.Index   // element address over the node's own axes
	dense  bool            // addr is row-major order
	maker  *unit           // nil when it exists before the run
	Shape  []int           // set where it is not the node's: a result of a kernel
	stored *store.Variable // the variable whose memory it is written to, if any
	steady bool            // the same in every run until a variable is set
	flow   *flow           // the loop that carries or accumulates it, or the branch that yields it
}

// String is what v is and where it comes from, for errors.
func (v *value) String() string {
	return fmt.Sprintf("%s %v%v at %s", v.node.Label, v.DType, v.resultShape(), v.node.Caller)
}

// Bytes is the memory that v takes.
func (v *value) bytes() int64 { return v.len * int64(v.DType.Size()) }

// isInput reports whether v is fed by the caller of a run.
func (v *value) isInput() bool { return v.maker == nil && v.node.Op.Kind == KindInput }

// resultShape is the shape under which a user knows v.
func (v *value) resultShape() []int {
	if v.Shape != nil {
		return v.Shape
	}
	return v.node.Shape
}

// unit is a scheduled task: what an engine computes, and the values that it reads and writes.
type unit struct {
	task  *engine.Task
	ins   []*value
	outs  []*value
	Where IRPlace // where it must run
	// carries marks a copy, needless where both have the same memory.
	carries bool
	flow    *flow // what it stands for, until the units of that take its place
}
