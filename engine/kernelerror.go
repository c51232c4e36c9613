package engine

import (
	"fmt"
	"strings"
)

// KernelError is a caller's own kernel that a device cannot compile or launch, or, in the checked
// mode, one that writes out of bounds. Its cause, as a *cl.BuildError with the compiler's whole
// log, a cl.Status or a *[BoundsError], is found with errors.As and errors.Is.
type KernelError struct {
	Kernel string // the name in reports
	Caller string // file:line of the op; may be empty
	Device string // its ID
	What   string // the error; a mistake in the source with the place and the text of the line
	Err    error
}

func (e *KernelError) Error() string {
	at := ""
	if e.Caller != "" {
		at = " at " + e.Caller
	}
	return fmt.Sprintf("kernel %q%s on %s: %s", e.Kernel, at, e.Device, e.What)
}

// Unwrap returns the cause.
func (e *KernelError) Unwrap() error { return e.Err }

// BoundsError lists writes of a kernel outside its buffers, each buffer once.
type BoundsError struct {
	Writes []StrayWrite
}

// StrayWrite are bytes from First to Last of a buffer, counted from its start and as whole
// elements: negative ones lie before it, those from Bytes on behind it, and the others in an input.
type StrayWrite struct {
	Argument    int    // of the kernel, from 0: inputs, then results
	Input       bool   // else a result
	Index       int    // of the input or result
	Name        string // the parameter's in the source; empty where the driver does not tell
	Bytes       int64  // of the buffer
	First, Last int64
}

func (e *BoundsError) Error() string {
	lines := make([]string, len(e.Writes))
	for i, w := range e.Writes {
		lines[i] = w.String()
	}
	return strings.Join(lines, "; ")
}

func (w StrayWrite) String() string {
	kind, name := "result", ""
	if w.Input {
		kind = "input"
	}
	if w.Name != "" {
		name = " " + w.Name
	}
	s := fmt.Sprintf("argument %d (%s %d%s, %d bytes) is written at bytes %d to %d",
		w.Argument, kind, w.Index, name, w.Bytes, w.First, w.Last)
	switch {
	case w.First < 0:
		return fmt.Sprintf("%s, %d before its start", s, -w.First)
	case w.First >= w.Bytes:
		return fmt.Sprintf("%s, %d behind its end", s, w.First-w.Bytes)
	}
	return s + ", which are an input's"
}
