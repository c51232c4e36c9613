// Package report renders how a compiled graph runs, and where the time of its runs goes. It knows
// no executor: a [Report] and a [Profile] are plain data that one fills, which are printed as text, drawn
// as pictures, and written as JSON and Chrome traces.
package report

import (
	"time"

	"github.com/anycl/anycl/engine"
)

// Host is the name of where feeds come from and results go.
const Host = "host"

// Adaptive is the Placement of a graph that moves when its runs show that another placement is faster.
const Adaptive = "adaptive"

// Report is a snapshot of an executable: its tasks, where each runs and why, predictions, transfers and memory.
type Report struct {
	Graph   string `json:"graph"`
	Runtime string `json:"runtime"` // the engines that run it, and why
	// Predicted is the time of a run, Pure the same if each engine had all tasks that can run on it.
	Predicted time.Duration `json:"predicted_ns"`
	// Error is the part of Predicted by which half of all predictions like it are off. Measured is the median of
	// so many Runs, 0 before there are enough.
	Error    float64                  `json:"error"`
	Measured time.Duration            `json:"measured_ns"`
	Runs     uint64                   `json:"runs"`
	Pure     map[string]time.Duration `json:"pure_ns"`
	// Placement is adaptive, fixed or reproducible. Placements are those that have run, the first
	// one first: as each may sum in another order, only runs of one are sure to give the same bits.
	Placement  string      `json:"placement"`
	Placements []Placement `json:"placements"`
	// Tried are placements that were predicted to be about as fast, and were tried.
	Tried []Trial `json:"tried,omitempty"`
	// Refused are tasks that a device was to run and cannot.
	Refused []Refusal `json:"refused,omitempty"`
	// Serial is the predicted time of a run if no engine worked while another does; 0 where none does.
	Serial  time.Duration `json:"serial_ns,omitempty"`
	Tasks   []Task        `json:"tasks"`
	Regions []Region      `json:"regions,omitempty"` // each before those in it
	Values  []Value       `json:"values"`
	Memory  []Memory      `json:"memory"`
}

// Task is one task after fusion.
type Task struct {
	Name   string `json:"name"` // the ops in it, joined by +
	Kind   string `json:"kind"`
	Caller string `json:"caller"` // the line that asked for it
	Axes   []int  `json:"axes"`   // extents
	DType  string `json:"dtype"`  // of the result
	Where  string `json:"where"`
	Why    string `json:"why"`
	// Runs is how often a run of the graph is expected to run it: once outside of loops and
	// branches.
	Runs float64 `json:"runs"`
	// Predicted is the time of all Runs on each engine in nanoseconds; -1 where it cannot run.
	Predicted map[string]int64 `json:"predicted"`
	// Measured is the median of the last profile, 0 without one.
	Measured time.Duration `json:"measured_ns,omitempty"`
	Flops    float64       `json:"flops"`
	Bytes    float64       `json:"bytes"`
	Plan     engine.Plan   `json:"plan"`
}

// Placement is one placement of an executable that has had several.
type Placement struct {
	Where    string        `json:"where"`       // how many tasks on which engines
	Runs     uint64        `json:"runs"`        // that were computed so
	Measured time.Duration `json:"measured_ns"` // the median of a run, 0 before there are enough
	Now      bool          `json:"now,omitempty"`
}

// Trial is the outcome of a placement that took turns with the one that ran before.
type Trial struct {
	Where  string        `json:"where"`   // how many tasks on which engines
	Took   time.Duration `json:"took_ns"` // the median of its runs
	Before time.Duration `json:"before_ns"`
	Stays  bool          `json:"stays"`
}

// Refusal is the reason why a task does not run on an engine that comes first in the order of preference: the engine
// cannot run it.
type Refusal struct {
	Engine string `json:"engine"`
	Task   string `json:"task"`
	Caller string `json:"caller"`
	Why    string `json:"why"`
	// Limit marks a task that is too large for the device, of a kind that it runs.
	Limit bool `json:"limit"`
}

// Value is data that tasks read or make.
type Value struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	// From is the task that makes it, as an index into Tasks; -1 for a fed value, a constant or a variable.
	From   int   `json:"from"`
	To     []int `json:"to"` // tasks
	Fed    bool  `json:"fed,omitempty"`
	Result bool  `json:"result,omitempty"`
	// Moves are the transfers of the value in every run.
	Moves []Move `json:"moves,omitempty"`
}

// Move is the transfer of a value between two engines, or an engine and the host.
type Move struct {
	From      string        `json:"from"`
	To        string        `json:"to"`
	Predicted time.Duration `json:"predicted_ns"` // without the wait for the task that makes it
}

// Memory is the memory that an executable holds on one engine.
type Memory struct {
	Where string `json:"where"`
	// Arena is the size of the arenas of inputs, intermediate values and results, Values the sum of
	// these values' sizes without sharing, and Live the most bytes of them that are live at once: no
	// arena can be smaller.
	Arena  int64 `json:"arena"`
	Values int64 `json:"values"`
	Live   int64 `json:"live"`
	// Scratch is the scratch memory of kernels, which use it one after the other.
	Scratch int64 `json:"scratch"`
	// Fixed is the memory of constants, Variables that of variables, which live on between runs.
	Fixed     int64 `json:"fixed"`
	Variables int64 `json:"variables"`
	// Lent is the callers' memory that feeds and results occupy while a run goes on: none of it is the engine's.
	Lent int64 `json:"lent,omitempty"`
}

// Peak is all that the executable holds, between runs as well as in one.
func (m *Memory) Peak() int64 { return m.Arena + m.Scratch + m.Fixed + m.Variables }
