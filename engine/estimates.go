package engine

import "time"

// Estimates are predictions for the tasks of a graph, which are asked for by their numbers and many times.
type Estimates interface {
	// Of predicts the times of some of the tasks in a sequence of these alone: small ones may run
	// where no thread has to be woken.
	Of(tasks []int) (times []time.Duration, link Link)
	// Upload predicts how long it takes to move n bytes from the host to a domain, apart from any wait, and
	// Download to the host: links are not as fast in both directions, nor as fast with little as with much.
	Upload(n int64, d MemoryDomain) time.Duration
	Download(n int64, d MemoryDomain) time.Duration
	// Compiled reports whether Prepare of some of the tasks, where they are all there is to run, has nothing to compile
	// or to load that launches would wait for. It is meant for who could as well do without these tasks.
	Compiled(tasks []int) bool
	// Built reports whether Prepare of some of the tasks has nothing to compile or to load at all.
	Built(tasks []int) bool
}

// MemoryDomain names one of the ways in which the memory of an engine is reached, as far as they differ in speed. "" is the
// only one that most engines have.
type MemoryDomain string

// Link describes how an engine's way of running its tasks affects the moves of values.
type Link struct {
	Wait    time.Duration // until submitted work is known to be done
	Domain  MemoryDomain  // the memory that tasks' operands are moved to and from
	Aliased bool          // feeds and results can be in the caller's memory; see [HostMemory]
}

// EstimatesOf are the predictions of e: those of its traits, else those of its methods, by which a task takes as long as
// it takes alone, and nothing is compiled late.
func EstimatesOf(e Engine, tasks []*Task) Estimates {
	if f := e.Traits().Estimates; f != nil {
		return f(tasks)
	}
	return Independent(e, tasks)
}

// Independent are the predictions of e's methods.
func Independent(e Engine, tasks []*Task) Estimates {
	return &independent{engine: e, tasks: tasks, wait: e.Transfer(0), known: map[*Task]time.Duration{}}
}

type independent struct {
	engine Engine
	tasks  []*Task
	wait   time.Duration
	known  map[*Task]time.Duration // the same may be there many times
}

func (s *independent) Of(tasks []int) (times []time.Duration, link Link) {
	times = make([]time.Duration, len(tasks))
	for i, t := range tasks {
		task := s.tasks[t]
		d, ok := s.known[task]
		if !ok {
			d = s.engine.Estimate(task)
			s.known[task] = d
		}
		times[i] = d
	}
	return times, Link{Wait: s.wait}
}

func (s *independent) Upload(n int64, _ MemoryDomain) time.Duration {
	return s.engine.Transfer(n) - s.wait
}

func (s *independent) Download(n int64, _ MemoryDomain) time.Duration {
	return s.engine.Transfer(n) - s.wait
}

func (s *independent) Compiled([]int) bool { return true }
func (s *independent) Built([]int) bool    { return true }
