package engine

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrUnsupported is wrapped by the error of an engine that cannot run a task:
// a dtype that the device lacks, a custom kernel without its function in Go.
var ErrUnsupported = errors.New("engine: unsupported")

// UnsupportedError says why an engine cannot run a task. It wraps [ErrUnsupported].
type UnsupportedError struct {
	Engine string // its name
	Task   string // for people to read
	Why    string
	// Limit marks a task that is too large for the engine, of a kind that it runs.
	Limit bool
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s on %s: %s: %v", e.Task, e.Engine, e.Why, ErrUnsupported)
}

// Unwrap returns ErrUnsupported.
func (e *UnsupportedError) Unwrap() error { return ErrUnsupported }

// ErrClosed is returned by a closed engine, memory or sequence.
var ErrClosed = errors.New("engine: closed")

// Engine executes tasks. Its methods are safe for concurrent use.
//
// Work is submitted in order and becomes visible in that order: a Read sees
// every Write and every Sequence.Run that was submitted before it.
type Engine interface {
	// Name is short and unique in the process: "pocl:0", "cpu".
	Name() string
	// Traits says how the engine differs from others.
	Traits() Traits
	// Check says why the engine cannot run t: nil when it can.
	Check(t *Task) error
	// Estimate predicts how long t takes once its inputs are in memory.
	Estimate(t *Task) time.Duration
	// Transfer predicts how long it takes to move n bytes between host and
	// engine.
	Transfer(n int64) time.Duration
	// Alloc gives n bytes, not initialised and aligned for every vector type.
	// n may be 0.
	Alloc(n int64) (Memory, error)
	// Write copies src to dst from offset on. src may be reused on return.
	Write(ctx context.Context, dst Memory, offset int64, src []byte) error
	// Read waits for all that was submitted and copies from src.
	Read(ctx context.Context, dst []byte, src Memory, offset int64) error
	// Prepare compiles tasks, programs in parallel, and binds their memory.
	Prepare(ctx context.Context, tasks []Bound) (Sequence, error)
	// Wait returns when all that was submitted is done, or ctx is.
	Wait(ctx context.Context) error
	// Stats counts live objects.
	Stats() Stats
	// Close releases everything; a second Close does nothing.
	Close() error
}

// Memory is a buffer of an engine.
type Memory interface {
	Bytes() int64
	Close() error
}

// Slot is a place in memory. Offset is a multiple of 256 for outputs and
// intermediate values.
type Slot struct {
	Mem    Memory
	Offset int64
}

// Bound is a task with its memory.
type Bound struct {
	Task *Task
	Ins  []Slot
	Outs []Slot
}

// Sequence is a prepared list of tasks. It is not safe for concurrent use.
type Sequence interface {
	// Run submits tasks [from, to) in order and does not wait. run is the
	// value of OpRun. It allocates nothing.
	Run(ctx context.Context, from, to int, run uint32) error
	// Changed says that steady inputs hold new values: values kept of them are to be made again.
	Changed()
	// Describe says how task i is executed.
	Describe(i int) Plan
	// Traits says how the sequence differs from others.
	Traits() SequenceTraits
	// Close waits for submitted runs, then releases the sequence's resources.
	Close() error
}

// SequenceTraits are the properties by which sequences differ.
type SequenceTraits struct {
	// Immediate says that Run returns when its tasks are done, on the thread that calls it, and that sequences run at
	// the same time when several goroutines run them.
	Immediate bool
	Scratch   int64    // bytes of temporary memory that the tasks share
	Profiler  Profiler // nil: it can be timed as a whole only
	Warmer    Warmer   // nil: the first Run compiles nothing
}

// Warmer is a sequence whose driver compiles a kernel when it is first launched.
type Warmer interface {
	// Cold reports whether the first Run would compile something.
	Cold() bool
	// Warm compiles the kernels that the first Run would, and returns when that is done. It runs tasks, whose
	// memory must hold zeros but for variables and constants: indices are read from it. The outputs of tasks
	// are undefined afterwards.
	Warm(ctx context.Context) error
}

// zeros are never written, so that the system backs them with one page.
var zeros [1 << 20]byte

// Clear sets n bytes of m from offset on to 0, after all that was submitted.
func Clear(ctx context.Context, e Engine, m Memory, offset, n int64) error {
	for n > 0 {
		piece := zeros[:min(n, int64(len(zeros)))]
		if err := e.Write(ctx, m, offset, piece); err != nil {
			return err
		}
		offset, n = offset+int64(len(piece)), n-int64(len(piece))
	}
	return nil
}

// Plan says how a task is executed: for people to read.
type Plan struct {
	Variant string   `json:"variant"`          // the kernel variant and its parameters
	Why     string   `json:"why"`              // why this one
	Launch  []string `json:"launch"`           // kernel name and geometry of each launch
	Source  string   `json:"source,omitempty"` // the compiled source; empty on the CPU path
	Scratch int64    `json:"scratch"`          // bytes of temporary memory
}

// Stats counts the objects of an engine.
type Stats struct {
	Memories  int   // live Memory values
	Bytes     int64 // in them
	Sequences int   // live Sequence values
	Launches  int64 // tasks submitted so far
}
