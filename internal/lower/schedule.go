// Package lower turns a simplified graph into tasks: it decides which nodes share a task, builds their
// expressions, and orders the tasks.
//
// The passes, in their order: fuse.go decides which nodes become buffers and which are computed inside their readers;
// group.go joins tasks over one domain to one of several outputs; lower.go and its neighbours build the tasks, through
// builder.go, which follows a node down to the buffers that it is computed from; order.go lets updates be written in place.
package lower

import (
	"errors"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/store"
)

// Options describe the engines that tasks are made for.
type Options struct {
	Buffers  int    // the most inputs and outputs of a task
	Seed     uint64 // of random numbers
	FastMath bool   // see engine.Task
	Scalars  Scalars
	// Volatile are variables of which nothing is kept between runs.
	Volatile []*store.Variable
	Validate bool // check the nodes, too
}

// Scalars are element-wise functions that the passes insert.
type Scalars struct {
	Add, Where, Cast, FoldIn *engine.Scalar
}

// Lower makes the tasks that compute outputs and updates, which are assignments to variables. Errors: what the passes
// have left inconsistent, of the nodes that they begin with only with Validate.
func Lower(outputs, updates []*ir.Node, o Options) (*ir.Schedule, error) {
	targets := slices.Concat(outputs, updates)
	if o.Validate {
		if err := ir.ValidateNodes(targets); err != nil {
			return nil, err
		}
	}
	l := newLowerer(targets, o, false)
	l.lower()
	p := &ir.Schedule{Results: make([]*ir.Value, len(outputs))}
	for i, n := range outputs {
		p.Results[i] = l.asResult(n, updates)
	}
	p.Instructions, p.Flows = inOrder(l.storeUpdates(updates))
	markSteady(p.Instructions, o.Volatile)
	// Always: a value that is read before it is made would be a wrong result that nothing reports.
	return p, errors.Join(l.err, ir.ValidateInstructions(p.Instructions, p.Results))
}
