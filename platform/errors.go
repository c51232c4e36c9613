package platform

import (
	"errors"
	"fmt"
	"strings"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/units"
)

var (
	// ErrNone is the error of Select for the spec "none": the caller asked for the CPU path and no device.
	ErrNone = errors.New("platform: no device wanted")
	// ErrNoDevice says that no device was named and that this machine has none
	// that computes. Errors that wrap it also wrap why, as cl.ErrNoLibrary. A
	// device that was named and is absent is a *SelectError and never this.
	ErrNoDevice = errors.New("platform: no OpenCL device")
	// ErrClosed says that an opened device or a memory was used after Close.
	// errors.Is(ErrClosed, cl.ErrClosed) holds.
	ErrClosed = fmt.Errorf("platform: use after Close: %w", cl.ErrClosed)
)

// SelectError is the error of a spec that names no device of the machine. It is never replaced by
// another device silently.
type SelectError struct {
	Spec  string   // the spec that was given
	Env   bool     // whether the environment variable ANYCL_DEVICE asked
	Found []string // the devices found, as "nvidia:0 NVIDIA H200"
	Err   error    // of a part: why the device, which exists, has none such; else nil
}

// Error names the spec and the devices found.
func (e *SelectError) Error() string {
	asked := fmt.Sprintf("device %q", e.Spec)
	if e.Env {
		asked = EnvDevice + "=" + e.Spec
	}
	if e.Err != nil {
		return fmt.Sprintf("platform: %s: no such part: %v", asked, e.Err)
	}
	found := "nothing"
	if len(e.Found) > 0 {
		found = strings.Join(e.Found, ", ")
	}
	return fmt.Sprintf("platform: %s: no such device; found: %s", asked, found)
}

// Unwrap returns why there is no such part.
func (e *SelectError) Unwrap() error { return e.Err }

// OutOfMemory is an allocation that the device cannot serve, not even after the pool gave back its
// blocks. errors.Is(err, cl.MemObjectAllocationFailure) holds, and so does the driver's own status
// if that is another one.
type OutOfMemory struct {
	Device string // as "nvidia:0 NVIDIA H200"
	Asked  int64  // bytes
	Held   int64  // bytes in live memory of the same opened device
	Free   int64  // bytes of the device that this opened device does not hold; other programs may
	Limit  int64  // the largest single allocation, bytes
	Err    error  // the driver's answer; nil when it was not asked
}

// Error gives the sizes.
func (e *OutOfMemory) Error() string {
	why := ""
	switch {
	case e.Limit > 0 && e.Asked > e.Limit:
		why = fmt.Sprintf(": more than its largest single allocation of %s", units.Bytes(e.Limit))
	case e.Err != nil:
		why = ": " + e.Err.Error()
	}
	return fmt.Sprintf("platform: %s: out of memory: asked for %s, held %s, at most %s free%s",
		e.Device, units.Bytes(e.Asked), units.Bytes(e.Held), units.Bytes(e.Free), why)
}

// Unwrap returns the driver's answer.
func (e *OutOfMemory) Unwrap() error { return e.Err }

// Is reports whether target is the status that OpenCL has for this.
func (e *OutOfMemory) Is(target error) bool { return target == cl.MemObjectAllocationFailure }

// outOfMemory reports whether a driver's answer means that memory is short,
// now or for good. Drivers disagree about the code.
func outOfMemory(err error) bool {
	return errors.Is(err, cl.MemObjectAllocationFailure) || errors.Is(err, cl.OutOfResources) ||
		errors.Is(err, cl.OutOfHostMemory) || errors.Is(err, cl.InvalidBufferSize)
}
