package corpus

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/internal/ocl/draft"
	"github.com/anycl/anycl/ops"
)

// Planner is an engine that drafts the programs of every task that it is to prepare, and then
// has the CPU path run it.
type Planner struct {
	engine.Engine
	corpus *Corpus
	// Instead, if not nil, is the error that Prepare returns in place of a sequence.
	Instead error
}

// NewPlanner adds to c. Close it.
func NewPlanner(c *Corpus) *Planner { return &Planner{Engine: fallback.New(nil), corpus: c} }

// Name is the name of the device class.
func (p *Planner) Name() string { return p.corpus.Class.Name }

// Traits are those of no CPU path.
func (p *Planner) Traits() engine.Traits { return engine.Traits{} }

// Check says why no device of the class can run t.
func (p *Planner) Check(t *engine.Task) error { return p.corpus.Class.Check(t) }

// Estimate prefers this engine to every other one.
func (p *Planner) Estimate(*engine.Task) time.Duration { return 1 }

// Transfer does too.
func (p *Planner) Transfer(int64) time.Duration { return 0 }

// Prepare drafts the programs of the tasks.
func (p *Planner) Prepare(ctx context.Context, tasks []engine.Bound) (engine.Sequence, error) {
	for _, b := range tasks {
		drafts, err := p.corpus.Class.Draft(b.Task)
		if err != nil {
			return nil, err
		}
		p.corpus.Add(drafts...)
	}
	if p.Instead != nil {
		return nil, p.Instead
	}
	return p.Engine.Prepare(ctx, tasks)
}

// Gather gives use a planner for every class, and then saves the drafted programs, under a name,
// where Env says.
func Gather(folder, name string, use func(class *draft.Class, p *Planner) error) (map[string]*Corpus, error) {
	all := map[string]*Corpus{}
	for _, class := range draft.Classes {
		c := New(class)
		p := NewPlanner(c)
		err := use(class, p)
		if closing := p.Close(); err == nil {
			err = closing
		}
		if err == nil {
			err = c.Save(folder, name)
		}
		if err != nil {
			return nil, err
		}
		all[class.Name] = c
	}
	return all, nil
}

// Graphs is Gather for programs that are given a runtime. Tasks that no device of a class can run
// go to the CPU path.
func Graphs(name string, use func(rt *ops.Runtime) error) (map[string]*Corpus, error) {
	return Gather(os.Getenv(Env), name, func(_ *draft.Class, p *Planner) error {
		cpu := fallback.New(nil)
		rt := ops.NewRuntime(p, cpu)
		return errors.Join(use(rt), rt.Close(), cpu.Close())
	})
}
