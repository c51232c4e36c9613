package fallback

import (
	"context"
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
)

// mapTask computes one expression over the whole domain.
type mapTask struct {
	out   writer
	size  int64
	piece int64
	count int64
	work.Cost
	wide bool
	work work.Job
}

func newMap(c *compiler) (work.Runner, error) {
	c.strips = true
	out, err := c.writer()
	if err != nil {
		return nil, err
	}
	m := &mapTask{out: out, size: out.prog.size}
	m.piece, m.count = c.Limits.Pieces(m.size, out.prog.nsPer, max(int64(out.prog.block), out.prog.unit))
	m.Chain = float64(m.size) * out.prog.nsPer
	m.wide = m.Ns() > c.Limits.WideNs
	m.work = m.do
	return m, nil
}

func (m *mapTask) do(worker int, i int64) {
	lo := i * m.piece
	m.out.write(worker, lo, int(min(m.piece, m.size-lo)))
}

func (m *mapTask) Run(ctx context.Context, p *work.Pool) error {
	return p.Run(ctx, m.count, m.wide, m.work)
}

func (m *mapTask) Plan() engine.Plan {
	return plan("map", m.count, m.wide, m.out.prog)
}

// plan describes a task that is one phase of pieces of programs.
func plan(variant string, pieces int64, wide bool, programs ...*program) engine.Plan {
	why := "short: on the caller's goroutine"
	if wide {
		why = "long: shared among workers"
	}
	p := engine.Plan{Variant: variant, Why: why, Launch: []string{fmt.Sprintf("%d pieces", pieces)}}
	for _, g := range programs {
		p.Launch = append(p.Launch, fmt.Sprintf("%d steps, %d registers, blocks of %d of %d values", len(g.steps), len(g.slots), g.block, g.size))
		p.Scratch += int64(g.arenaBytes())
	}
	return p
}
