package engine

import (
	"context"
	"sync"
)

// Progress is how far an engine has come with compiling for one graph.
type Progress struct {
	Engine string // its name
	Stage  Stage
	Done   int // of Total: programs, or kernels
	Total  int
}

// Stage is a part of compiling.
type Stage string

const (
	Build  Stage = "build"  // programs are compiled, or loaded from a cache
	Launch Stage = "launch" // kernels are launched for the first time, which a CPU driver compiles for their work-groups then
)

type progressKey struct{}

// WithProgress is ctx with a function that [ReportProgress] calls, one call at a time. nil is nobody.
func WithProgress(ctx context.Context, tell func(Progress)) context.Context {
	if tell == nil {
		return ctx
	}
	var mu sync.Mutex
	return context.WithValue(ctx, progressKey{}, func(p Progress) {
		mu.Lock()
		defer mu.Unlock()
		tell(p)
	})
}

// ReportProgress calls the function that ctx has by [WithProgress], if any.
func ReportProgress(ctx context.Context, p Progress) {
	if tell, ok := ctx.Value(progressKey{}).(func(Progress)); ok {
		tell(p)
	}
}
