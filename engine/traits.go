package engine

// Traits are the properties by which engines differ: limits, and optional features of an engine. They do not change.
// The zero value is right for an engine with memory and processors of its own that takes tasks of any size.
type Traits struct {
	// Buffers is how many inputs and outputs together a task has at most that is made of expressions; 0 is no
	// bound. Fusion keeps to the smallest bound of all engines that may get a task.
	Buffers int
	// MaxAlloc is the largest allocation in bytes; 0 is no bound.
	MaxAlloc int64
	// Hosted says that all memory is the host's, which [HostMemory] gives, and that work is done when the call
	// that submitted it returns.
	Hosted bool
	// Cores is how many of the host's processors t keeps busy: tasks that an engine runs beside another that computes
	// there take longer than alone. nil: none.
	Cores func(t *Task) int
	// Estimates predicts tasks that run together more exactly than Estimate and Transfer. nil: these do. See
	// [EstimatesOf].
	Estimates func(tasks []*Task) Estimates
	// Stream lets the host work ahead. nil: the host waits for each call.
	Stream Streamer
	// Peaks are the rates that nothing exceeds, as measured. nil: they are not known.
	Peaks func() Peaks
}

// Peaks are rates that nothing on an engine exceeds; 0 is unknown.
type Peaks struct {
	Flops float64 `json:"flops"` // operations a second
	Bytes float64 `json:"bytes"` // read and written, a second
}

// HostMemory is an Engine whose memory the host can address, or that computes on the host's memory. It is the one
// optional interface.
type HostMemory interface {
	// Host is m itself, for the host to read and write; nil where the host cannot.
	Host(m Memory) []byte
	// External gives a memory of n bytes in whose place the caller's can be, and has none of its own before it needs
	// it. It is for engines whose estimates say that memory is aliased; see [Link].
	External(n int64) (External, error)
	// Wrap gives b, which nothing changes until the memory is closed, as a memory that nothing writes to; false where that is not
	// possible. b begins at a multiple of tensor.Alignment.
	Wrap(b []byte) (Memory, bool)
}

// TraitsOf are the traits of e, without those that need [HostMemory] where e does not have it, as an engine that wraps
// another's methods alone.
func TraitsOf(e Engine) Traits {
	t := e.Traits()
	if _, ok := e.(HostMemory); !ok {
		t.Hosted = false
	}
	return t
}

// External is an externally backed memory: the caller's bytes can be in its place. It is for one goroutine at a time.
type External interface {
	Memory
	// Bind puts b in its place until Release: sequences work on b, and so do Read and Write. It reports
	// whether that is possible, which takes as many bytes that begin at a multiple of tensor.Alignment, and
	// sequences that have done their work when Run returns. The content of its own memory is lost.
	Bind(b []byte) bool
	// Bound reports whether something is in its place.
	Bound() bool
	// Release ends that. Nothing refers to the caller's bytes any more.
	Release()
}
