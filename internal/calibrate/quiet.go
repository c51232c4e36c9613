package calibrate

import (
	"context"
	"time"
)

// What is measured beside a runtime's callers has the driver compile, which keeps every launch of the process
// waiting, and takes a core. So it waits until nobody is likely to notice.

// Bounds of waiting. They are variables for tests.
var (
	quietFor   = 250 * time.Millisecond // nothing begins or goes on for so long
	quietFirst = 3 * time.Second        // instead, as long as nothing has run: a program that has just started is about to compile
	quietLook  = 50 * time.Millisecond  // how often that is looked at
)

// Activity is what a runtime has been asked for so far.
type Activity struct {
	Runs     uint64 // begun, of graphs that live
	Graphs   int    // compiled, that live
	Compiles int64  // begun
	Busy     bool   // something goes on
}

// quiet returns when look shows nothing new for a while, or hurry is closed: somebody waits for what is to be done then.
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
		if now.Busy || now != last {
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
