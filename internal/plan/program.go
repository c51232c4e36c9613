package plan

import (
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/store"
	"github.com/anycl/anycl/tensor"
)

// Program describes a run of a placed graph, the same for every run. It is data, and does not change once it is built.
type Program struct {
	*ir.Schedule
	Placement *Placement
	Engines   []Engine // by their numbers
	Inputs    []Input  // those of the schedule
	Variables []Variable
	Outputs   []Output
	Steps     []Step
	Fetches   int  // values that are asked for before they are taken; see Ask
	Workers   bool // each engine's steps need a goroutine of their own
	Short     bool // a run is predicted to be over soon
}

// Engine lists the memories and tasks that a program needs on one engine.
type Engine struct {
	Memories []Memory
	Tasks    []Task
	Arenas   []int64 // sizes of the first memories, which values share
	Values   int64   // bytes of the values in the arenas, each counted
	Live     int64   // the most bytes of it in use at once
}

// Memory is a buffer of an engine.
type Memory struct {
	Kind     MemoryKind
	Bytes    int64
	Value    *ir.Value // the value in it; of an arena, the largest
	Values   int       // how many are
	Variable *store.Variable
}

// MemoryKind says what a memory is for.
type MemoryKind uint8

// The kinds of memories.
const (
	Arena    MemoryKind = iota // shared by values that are not needed at the same time
	External                   // the caller's own memory may take its place during a run
	Constant                   // holds a tensor that is part of the graph
	State                      // of a variable, which outlives the program
)

// Location is a place in a memory of an engine, both by number.
type Location struct {
	Engine, Memory int
	Offset         int64
}

// Task is a task of the schedule with the places of its operands.
type Task struct {
	Instruction int // its number in the schedule
	Ins, Outs   []Location
}

// Input is something that runs are fed with.
type Input struct {
	Node *ir.Node
	To   []Location
}

// Variable is a variable that a run reads or writes.
type Variable struct {
	*store.Variable
	Engines []int // that have memory for it
	Readers []int // engines that read it
	Writer  int   // the engine that writes it, or -1
}

// Output is a result of a run.
type Output struct {
	Location
	DType tensor.DType
	Shape []int
	Bytes int64
}

// Step is a part of a run.
type Step struct {
	Kind        StepKind
	From, To    int // engines
	First, Last int // with Run: tasks of From, half open
	// With Move and Ask: a value, and its size. It need not be read from the host's own memory, nor be written there.
	Src, Dst    Location
	Bytes       int64
	Read, Write bool
	Fetch       int  // the number of the fetch that an Ask starts and a Move takes; -1: none
	Ahead       bool // the write is ordered behind the work submitted before
	After       int  // the step that makes the moved value
	Region      *Region
}

// StepKind says what a step does.
type StepKind uint8

// The kinds of steps.
const (
	Run   StepKind = iota // runs consecutive tasks of an engine
	Move                  // brings a value from one engine to another
	Ask                   // asks an engine for a value that a later Move takes
	Enter                 // runs a loop or a branch
)

// Engine is the engine whose turn it is.
func (s *Step) Engine() int {
	if s.Kind == Move {
		return s.To
	}
	return s.From
}

// Region is a loop or a branch as a run takes it.
type Region struct {
	*ir.Flow
	Predicate *Location // nil: iterations are counted
	OnHost    bool      // the predicate is in the host's memory
	Parts     [2][]Step
}
