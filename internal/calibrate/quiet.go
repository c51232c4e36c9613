package calibrate

import (
	"context"
	"time"
)

// Background measurements make the driver compile, which blocks every launch of the process, and they occupy
// a core. So they wait until the runtime is idle.

// Bounds of waiting. They are variables for tests.
var (
	quietFor   = 250 * time.Millisecond // nothing begins or goes on for so long
	quietFirst = 3 * time.Second        // instead, as long as nothing has run: a program that has just started is about to compile
	quietLook  = 50 * time.Millisecond  // how often that is looked at
)

// Activity counts the requests that a runtime has received so far.
type Activity struct {
	Runs     uint64 // begun, of graphs that live
	Graphs   int    // compiled, that live
	Compiles int64  // begun
	Busy     bool   // something goes on
}

// quiet returns when look shows no new activity for a while, or when hurry is closed because a caller waits for the measurements.
// As long as no graph was compiled it waits: nothing is predicted, as where a program uses the device for package blas alone.
func quiet(ctx context.Context, look func() Activity, hurry <-chan struct{}) error {
	last, since, ran := look(), time.Now(), false
	tick := time.NewTicker(quietLook)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-hurry:
			return nil
		case <-tick.C:
		}
		now := look()
		ran = ran || now.Runs > 0
		if now.Busy || now != last || now.Compiles == 0 {
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
