package engine

import (
	"context"
	"time"
)

// Profiler is a Sequence that can tell when each launch was at work.
type Profiler interface {
	// Profile is Run that waits and returns what ran, in order, with times
	// since epoch on the host's clock.
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

// Peaks are rates that nothing on an engine exceeds, as measured; 0 is unknown.
type Peaks struct {
	Flops float64 `json:"flops"` // operations a second
	Bytes float64 `json:"bytes"` // read and written, a second
}

// Rated is an Engine that knows its peaks.
type Rated interface{ Peaks() Peaks }
