package ir

import "sync/atomic"

// FlowStats holds statistics about a loop or branch, gathered by runs.
type FlowStats struct {
	entries atomic.Int64 // runs of it
	count   atomic.Int64 // of their iterations; of branches, those that took the first way
}

// Note enters a run of a loop with the given number of iterations.
func (s *FlowStats) Note(iterations int64) {
	s.entries.Add(1)
	s.count.Add(iterations)
}

// mean is the mean number of iterations, if it is known.
func (s *FlowStats) mean() (float64, bool) {
	n := s.entries.Load()
	if n == 0 {
		return 0, false
	}
	return float64(s.count.Load()) / float64(n), true
}

// Taken is the part of runs that took the first way: a half until they are many.
func (s *FlowStats) Taken() float64 {
	return float64(s.count.Load()+1) / float64(s.entries.Load()+2)
}
