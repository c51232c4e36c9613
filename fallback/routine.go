package fallback

import (
	"fmt"

	"github.com/anycl/anycl/engine"
)

// newRoutine is the way to run what branches on its data.
func newRoutine(c *compiler) (runner, error) {
	switch a := c.task.Algorithm.(type) {
	case *engine.Rank:
		return newRank(c, a), nil
	case *engine.Trees:
		return newTrees(c, a)
	case *engine.Suppress:
		return newSuppress(c, a), nil
	case *engine.Unique:
		return newUnique(c, a), nil
	case *engine.Scan:
		return newScan(c, a)
	case *engine.Running:
		return newRunning(c, a)
	case *engine.Join:
		return newJoin(c, a), nil
	case *engine.Cholesky:
		return newCholesky(c, a), nil
	case *engine.LU:
		return newLU(c, a), nil
	case *engine.QR:
		return newQR(c, a), nil
	case *engine.Triangular:
		return newTriangular(c, a), nil
	}
	return nil, fmt.Errorf("%v: %w", c.task.Algorithm, engine.ErrUnsupported)
}

// routine is what the runners of routines have in common.
type routine struct {
	task   *engine.Task
	env    *env
	limits *limits
	width  int
	cost
	wide bool // worth several workers
	how  string
}

func (c *compiler) routine(ns float64, how string) routine {
	return routine{task: c.task, env: c.env, limits: c.limits, width: c.width, cost: cost{chain: ns}, wide: ns > c.limits.wideNs, how: how}
}

func (r *routine) plan() engine.Plan {
	why := "short: on the caller's goroutine"
	if r.wide {
		why = "long: shared among workers"
	}
	return engine.Plan{Variant: r.how, Why: why, Launch: []string{r.task.Algorithm.String()}}
}
