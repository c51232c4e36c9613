package engine

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrUnsupported is wrapped by the error of an engine that cannot run a task:
// a dtype that the device lacks, a custom kernel without a Go twin.
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

// Limits bound what an engine takes in one task that is made of expressions. 0 is no bound.
type Limits struct {
	Buffers int // inputs and outputs together
}

// Limited is an Engine that has limits. Fusion keeps to the smallest of all engines that may
// get a task.
type Limited interface{ Limits() Limits }

// ErrClosed is returned by a closed engine, memory or sequence.
var ErrClosed = errors.New("engine: closed")

// Engine executes tasks. Its methods are safe for concurrent use.
//
// Work is submitted in order and becomes visible in that order: a Read sees
// every Write and every Sequence.Run that was submitted before it.
type Engine interface {
	// Name is short and unique in the process: "pocl:0", "cpu".
	Name() string
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
	// Stats counts what is alive.
	Stats() Stats
	// Close releases everything; a second Close does nothing.
	Close() error
}

// Whole is an Engine that predicts a graph as a whole more exactly than task by
// task: small ones may run where nothing has to be woken.
type Whole interface {
	// Estimates looks at tasks once, parts of which are then asked for many times.
	Estimates(tasks []*Task) Estimates
}

// Estimates predicts tasks, by their numbers, when they are all there is to run.
type Estimates interface {
	// Of is Estimate of each, and what comes beside them.
	Of(tasks []int) (times []time.Duration, link Link)
}

// Link is what an engine's way of running what it got means for what is moved.
type Link struct {
	Wait time.Duration // until what was submitted is known to be done
	// Near says that the caller's own processor does all the work, and has in its caches what
	// is moved before and after.
	Near bool
	// Lends says that what is fed and what results lies where the caller has it; see [Lender].
	Lends bool
}

// Linked is an Engine that predicts each way of moving bytes on its own, apart from any wait:
// links are not as fast in both directions, nor as fast with little as with much. Near is that of
// [Link].
type Linked interface {
	// Upload predicts how long it takes to move n bytes from the host, and Download to it.
	Upload(n int64, near bool) time.Duration
	Download(n int64, near bool) time.Duration
}

// Hosted is an Engine that works in the host's memory, and has done its work when the
// call that submitted it returns.
type Hosted interface {
	// Host is m itself.
	Host(m Memory) []byte
}

// Lender is an Engine whose tasks can work on the caller's own memory while a run goes on, so that feeds
// need not be copied to the engine, nor results from it. [Link] says whether they would.
type Lender interface {
	// Lends reports whether tasks, where they are all there is to run, work on memory that is lent.
	Lends(tasks []*Task) bool
	// Vacant gives a memory of n bytes that can be lent, and has none of its own before it needs it.
	Vacant(n int64) (Vacant, error)
}

// Vacant is a memory in whose place the caller's can be. It is for one goroutine at a time.
type Vacant interface {
	Memory
	// Lend puts b in its place until Return: sequences work on b, and so do Read and Write. It reports
	// whether that is possible, which takes as many bytes that begin at a multiple of tensor.Alignment, and
	// sequences that have done their work when Run returns. What lay in it before is gone.
	Lend(b []byte) bool
	// Lent reports whether something is in its place.
	Lent() bool
	// Return ends that. Nothing refers to what was lent any more.
	Return()
}

// Compiler is an Engine whose driver compiles in the way of launches: while a kernel is compiled, or loaded for the
// first time, no other can be launched.
type Compiler interface {
	// Compiled reports whether Prepare of tasks, where they are all there is to run, has nothing to compile or
	// to load that launches would wait for. It is meant for who could as well do without these tasks.
	Compiled(tasks []*Task) bool
}

// Cored is an Engine that computes on the host's processors, as the CPU path does and the
// drivers of CPUs do: what it runs beside another such engine takes longer than alone.
type Cored interface {
	// Cores is how many processors t keeps busy.
	Cores(t *Task) int
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
	// Describe says how task i is executed.
	Describe(i int) Plan
	// Close releases what Prepare made, after waiting for it.
	Close() error
}

// Immediate is a sequence that may do its work on the thread that runs it.
type Immediate interface {
	// Immediate reports whether Run returns when its tasks are done. Sequences of which it
	// is true run at the same time when several goroutines run them.
	Immediate() bool
}

// Warmer is a sequence whose driver compiles a kernel when it is first launched.
type Warmer interface {
	// Cold reports whether the first Run would compile something.
	Cold() bool
	// Warm has that compiled, and returns when it is done. It runs tasks on whatever their memory
	// holds, so that what tasks write is undefined afterwards.
	Warm(ctx context.Context) error
}

// Keeper is a sequence that keeps what it made of steady inputs.
type Keeper interface {
	// Changed says that steady inputs hold new values.
	Changed()
}

// Plan says how a task is executed: for people to read.
type Plan struct {
	Variant string   `json:"variant"`          // the kernel variant and its parameters
	Why     string   `json:"why"`              // why this one
	Launch  []string `json:"launch"`           // kernel name and geometry of each launch
	Source  string   `json:"source,omitempty"` // what was compiled; empty on the CPU path
	Scratch int64    `json:"scratch"`          // bytes of temporary memory
}

// Stats counts what an engine holds.
type Stats struct {
	Memories  int   // live Memory values
	Bytes     int64 // in them
	Sequences int   // live Sequence values
	Launches  int64 // tasks submitted so far
}
