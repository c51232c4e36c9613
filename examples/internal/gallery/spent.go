package gallery

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// spent is the time of a program beside its computations, by cause.
type spent struct {
	mu               sync.Mutex
	opened, compiled time.Duration
	graphs           int
	told             map[string]bool // lines about kernels
}

// listener adds up the times in the library's log, and passes on warnings about kernels for the program's author.
type listener struct{ p *Program }

func (l listener) Enabled(context.Context, slog.Level) bool { return true }

func (l listener) WithAttrs([]slog.Attr) slog.Handler { return l }

func (l listener) WithGroup(string) slog.Handler { return l }

func (l listener) Handle(_ context.Context, r slog.Record) error {
	s := &l.p.spent
	s.mu.Lock()
	defer s.mu.Unlock()
	at := map[string]slog.Value{}
	r.Attrs(func(a slog.Attr) bool {
		at[a.Key] = a.Value
		return true
	})
	switch r.Message {
	case "ops: a graph is compiled":
		s.graphs, s.compiled = s.graphs+1, s.compiled+at["took"].Duration()
	case "ocl: a kernel is not divided among threads":
		if line := fmt.Sprintf("the kernel %s is not divided among threads: %s\n", at["kernel"], at["why"]); !s.told[line] {
			if s.told == nil {
				s.told = map[string]bool{}
			}
			s.told[line] = true
			fmt.Fprint(l.p.Stderr, line)
		}
	}
	return nil
}

// tellSpent prints where a run's time went. Drivers that compile kernels when they first run do so while the program computes.
func (p *Program) tellSpent(all time.Duration) {
	s := &p.spent
	s.mu.Lock()
	defer s.mu.Unlock()
	p.record.Total, p.record.Opened, p.record.Compiled = all.Seconds(), s.opened.Seconds(), s.compiled.Seconds()
	p.Printf("\n%s in all: %s to open the device, %s to compile %d graphs, %s to compute, check and draw\n",
		Seconds(all.Seconds()), Seconds(s.opened.Seconds()), Seconds(s.compiled.Seconds()), s.graphs,
		Seconds((all - s.opened - s.compiled).Seconds()))
}
