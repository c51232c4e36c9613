package ir

import (
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/store"
	"github.com/anycl/anycl/tensor"
)

// Value is a tensor in memory: fed, constant, a variable, or made by a task.
type Value struct {
	Node   *Node // what it is
	DType  tensor.DType
	Len    int64
	Addr   *engine.Index   // element address over the node's own axes
	Dense  bool            // addr is row-major order
	Maker  *Instruction    // nil when it exists before the run
	Shape  []int           // set where it is not the node's: a result of a kernel
	Stored *store.Variable // the variable whose memory it is written to, if any
	Steady bool            // the same in every run until a variable is set
	Flow   *Flow           // the loop that carries or accumulates it, or the branch that yields it
}

// String describes v and where it comes from, for errors.
func (v *Value) String() string {
	return fmt.Sprintf("%s %v%v at %s", v.Node.Label, v.DType, v.ResultShape(), v.Node.Caller)
}

// Bytes is the memory that v takes.
func (v *Value) Bytes() int64 { return v.Len * int64(v.DType.Size()) }

// IsInput reports whether v is fed by the caller of a run.
func (v *Value) IsInput() bool { return v.Maker == nil && v.Node.Op.Kind == KindInput }

// ResultShape is the shape under which a user knows v.
func (v *Value) ResultShape() []int {
	if v.Shape != nil {
		return v.Shape
	}
	return v.Node.Shape
}

// Instruction is a scheduled task: what an engine computes, and the values that it reads and writes.
type Instruction struct {
	Task  *engine.Task
	Ins   []*Value
	Outs  []*Value
	Where Place // where it must run
	// Carries marks a copy, needless where both have the same memory.
	Carries bool
	Flow    *Flow // what it stands for, until the instructions of that take its place
}
