package work

import (
	"context"

	"github.com/anycl/anycl/engine"
)

// Runner executes one task.
type Runner interface {
	// Run executes the task on the caller's goroutine and the pool's.
	Run(ctx context.Context, p *Pool) error
	// Plan describes it.
	Plan() engine.Plan
	// Predicted is the predicted cost of the task.
	Predicted() Cost
}

// Cost is the time of a task on one core, in nanoseconds, at the reference
// rates that the compiler reckons with.
type Cost struct {
	Chain   float64 // loads, scalar functions, folds, stores
	Product float64 // matrix products of float32
}

// Ns is the sum.
func (c Cost) Ns() float64 { return c.Chain + c.Product }

// Predicted is c: a [Runner] that embeds its predicted cost has the method by it.
func (c Cost) Predicted() Cost { return c }

// Setup is the environment that a task is prepared for.
type Setup struct {
	Task       *engine.Task
	Ins        [][]byte // memory of each input
	Outs       [][]byte
	Env        *Env
	Width      int // workers
	Used       int // bytes of the arena that this task has
	usedShared int
	Limits     *Limits
	Dry        bool // for an estimate: there is no memory
}

// Reserve takes n bytes of every worker's arena and returns their place.
func (c *Setup) Reserve(n int) int {
	at := c.Used
	c.Used += RoundUp(n, 64)
	c.Env.Need = max(c.Env.Need, c.Used)
	return at
}

// ReserveShared takes n bytes of the memory that workers share.
func (c *Setup) ReserveShared(n int) int {
	at := c.usedShared
	c.usedShared += RoundUp(n, 64)
	c.Env.NeedShared = max(c.Env.NeedShared, c.usedShared)
	return at
}
