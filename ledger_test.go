package anycl_test

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/anycl/anycl/internal/ocl"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/ops/optest"
)

// ledger remembers what a device was given for each graph of the suite. Most graphs come
// down to the same whichever variant is forced, and run once.
type ledger struct {
	mu    sync.Mutex
	seen  map[[2]string]bool // name of the graph, and its print
	run   map[string]int     // graphs that ran a task as this variant
	ran   int
	known int
}

// watch notes a sequence that is about to be prepared. Errors: one that its graph had before, which is [optest.ErrKnown].
func (l *ledger) watch(ctx context.Context, p ocl.Prepared) error {
	graph := optest.GraphOf(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	if graph != "" && l.seen[[2]string{graph, p.Print}] {
		l.known++
		return optest.ErrKnown
	}
	if l.seen == nil {
		l.seen, l.run = map[[2]string]bool{}, map[string]int{}
	}
	l.seen[[2]string{graph, p.Print}] = true
	for _, v := range p.Variants {
		l.run[v]++
	}
	l.ran++
	return nil
}

// counts are the graphs that ran, and that had run before, since it was asked last.
func (l *ledger) counts() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := fmt.Sprintf("%d graphs ran, %d are known", l.ran, l.known)
	l.ran, l.known = 0, 0
	return s
}

// idle are the variants that ran nothing.
func (l *ledger) idle() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(variant.Variants(), func(v string) bool { return l.run[v] > 0 })
}
