package ops

import "fmt"

// RandomState is where the random numbers of an executable have arrived: with it, another executable
// of a graph that was built alike goes on with the numbers that this one would draw next.
type RandomState struct {
	Seed uint64 // of the graph, see [Graph.Seed]
	Runs uint32 // that have begun
}

// RandomState is what the random numbers of the next run depend on, beside the graph. It means
// something between runs.
func (x *Executable) RandomState() RandomState {
	s := RandomState{Seed: x.graph.seed}
	if x.open != nil {
		s.Runs = x.open.runs.Load()
	} else {
		s.Runs = x.executor.Runs()
	}
	return s
}

// SetRandomState makes the next run draw what it draws in state s. Errors: the graph has another
// seed.
func (x *Executable) SetRandomState(s RandomState) error {
	if err := s.fits(x.graph); err != nil {
		return err
	}
	if x.open != nil {
		x.open.runs.Store(s.Runs)
	} else {
		x.executor.SetRuns(s.Runs)
	}
	return nil
}

// RandomState is that of the next Step: its Runs are the steps made so far. The numbers that a share draws depend
// on its place among the shares too.
func (p *DataParallel) RandomState() RandomState {
	p.mu.Lock()
	defer p.mu.Unlock()
	return RandomState{Seed: p.graph.seed, Runs: p.steps}
}

// SetRandomState makes the next Step draw what it draws in state s. Errors: the graph has another seed.
func (p *DataParallel) SetRandomState(s RandomState) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := s.fits(p.graph); err != nil {
		return err
	}
	p.steps = s.Runs
	return nil
}

func (s RandomState) fits(g *Graph) error {
	if s.Seed != g.seed {
		return fmt.Errorf("ops: the random numbers of %q: the graph has the seed %d, and the state is of seed %d", g.name, g.seed, s.Seed)
	}
	return nil
}
