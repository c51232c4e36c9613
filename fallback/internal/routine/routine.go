package routine

import (
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
)

// New makes the runner of a task that has an algorithm. Errors: there is none for it here (engine.ErrUnsupported).
func New(c *work.Setup) (work.Runner, error) {
	switch a := c.Task.Algorithm.(type) {
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
	case *engine.SVD:
		return newSVD(c, a), nil
	case *engine.Eigh:
		return newEigh(c, a), nil
	}
	return nil, fmt.Errorf("%v: %w", c.Task.Algorithm, engine.ErrUnsupported)
}

// routine has the fields that the runners of routines share.
type routine struct {
	task   *engine.Task
	env    *work.Env
	limits *work.Limits
	width  int
	work.Cost
	wide bool // worth several workers
	how  string
}

func routineOf(c *work.Setup, ns float64, how string) routine {
	return routine{task: c.Task, env: c.Env, limits: c.Limits, width: c.Width, Cost: work.Cost{Chain: ns}, wide: ns > c.Limits.WideNs,
		how: how}
}

func (r *routine) Plan() engine.Plan {
	why := "short: on the caller's goroutine"
	if r.wide {
		why = "long: shared among workers"
	}
	return engine.Plan{Variant: r.how, Why: why, Launch: []string{r.task.Algorithm.String()}}
}
