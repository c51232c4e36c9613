package ops

import (
	"context"
	"time"
)

// What a runtime measures beside its callers has the driver compile, which keeps every launch of the process
// waiting (PoCL: 0.1 s for each kernel), and takes a core. So it waits until nobody is likely to notice.

// Bounds of waiting. They are variables for tests.
var (
	quietFor   = 250 * time.Millisecond // nothing begins or goes on for so long
	quietFirst = 3 * time.Second        // instead, as long as nothing has run: a program that has just started is about to compile
	quietLook  = 50 * time.Millisecond  // how often that is looked at
)

// activity is what a runtime has been asked for so far.
type activity struct {
	runs     uint64 // begun, of executables that live
	graphs   int    // executables that live
	compiles int64  // begun
	busy     bool   // something goes on
}

// activity looks at the runtime's executables, without slowing their runs.
func (rt *Runtime) activity() (a activity) {
	a.compiles = rt.compiles.Load()
	a.busy = rt.compiling.Load() > 0
	rt.mu.Lock()
	defer rt.mu.Unlock()
	a.graphs = len(rt.live)
	for x := range rt.live {
		runs, busy := x.executor.Activity()
		a.runs += uint64(runs)
		a.busy = a.busy || busy
	}
	return a
}

// begins notes that a caller compiles something, until the function returned is called.
func (rt *Runtime) begins() (ends func()) {
	rt.compiles.Add(1)
	rt.compiling.Add(1)
	return func() { rt.compiling.Add(-1) }
}

// quiet returns when the runtime has been left alone for a while, or somebody waits for what is to be done then.
func (rt *Runtime) quiet(ctx context.Context) error {
	last, since, ran := rt.activity(), time.Now(), false
	tick := time.NewTicker(quietLook)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-rt.beside.hurry:
			return nil
		case <-tick.C:
		}
		now := rt.activity()
		ran = ran || now.runs > 0
		if now.busy || now != last {
			last, since = now, time.Now()
			continue
		}
		wait := quietFirst
		if ran {
			wait = quietFor
		}
		if time.Since(since) >= wait {
			return nil
		}
	}
}
