package engine

import (
	"context"
	"time"
)

// Profiler is a Sequence that can tell when each launch was at work.
type Profiler interface {
	// Profile is Run that waits and returns the spans of its tasks, in order, with times since epoch
	// on the host's clock.
	Profile(ctx context.Context, from, to int, run uint32, epoch time.Time) ([]Span, error)
}

// Span is a launch as it ran; on the CPU path, a task.
type Span struct {
	Task       int    // of the sequence
	Name       string // of the kernel or command
	Start, End time.Duration
	Clock      Clock
}

// Clock says who took a time.
type Clock string

// Who takes times.
const (
	DeviceClock Clock = "device" // the device, when it began and when it ended
	HostClock   Clock = "host"   // the host, waiting included
)
