package cl

import (
	"errors"
	"fmt"
	"strings"

	"github.com/anycl/anycl/internal/cldriver"
)

var (
	// ErrNoLibrary says that no OpenCL library could be loaded: none is
	// installed, or this build has no loader (see the package's build tags).
	ErrNoLibrary = errors.New("cl: no OpenCL library")
	// ErrClosed says that an object was used after Close.
	ErrClosed = errors.New("cl: use of a closed object")
	// ErrUnsupported says that the loaded library has no such function or the
	// device no such feature.
	ErrUnsupported = errors.New("cl: unsupported")
)

// LoadError lists every attempt to load a library. errors.Is(err, ErrNoLibrary) holds.
type LoadError struct {
	Attempts []error
}

// Error names each library that was tried and why it failed.
func (e *LoadError) Error() string {
	if len(e.Attempts) == 0 {
		return ErrNoLibrary.Error()
	}
	lines := make([]string, len(e.Attempts))
	for i, a := range e.Attempts {
		lines[i] = "\n\t" + a.Error()
	}
	return ErrNoLibrary.Error() + "; tried:" + strings.Join(lines, "")
}

// Unwrap returns the attempts' errors.
func (e *LoadError) Unwrap() []error { return e.Attempts }

// Is reports whether target is ErrNoLibrary.
func (e *LoadError) Is(target error) bool { return target == ErrNoLibrary }

// Error is a failed OpenCL call.
type Error struct {
	Op     string // the failed operation, as "create buffer" or "launch"
	Detail string // which object, which size; may be empty
	Status Status
}

// Error returns the operation, the detail and OpenCL's name and number of the status.
func (e *Error) Error() string {
	if e.Detail == "" {
		return fmt.Sprintf("cl: %s: %s", e.Op, e.Status.describe())
	}
	return fmt.Sprintf("cl: %s: %s: %s", e.Op, e.Detail, e.Status.describe())
}

// Unwrap returns the status, so that errors.Is(err, OutOfResources) works.
func (e *Error) Unwrap() error { return e.Status }

// check turns a driver's status into an error, nil for success.
func check(st cldriver.Status, op, detail string) error {
	switch {
	case st >= 0:
		return nil
	case st == cldriver.Unsupported:
		return unsupported(op)
	}
	return &Error{Op: op, Detail: detail, Status: Status(st)}
}

func unsupported(op string) error { return fmt.Errorf("cl: %s: %w", op, ErrUnsupported) }

func closed(op, what string) error { return fmt.Errorf("cl: %s: %s: %w", op, what, ErrClosed) }

func invalid(op string, s Status, format string, args ...any) error {
	return &Error{Op: op, Detail: fmt.Sprintf(format, args...), Status: s}
}

// statusOf finds the Status in an error: Success for nil, InvalidOperation for
// errors that hold none.
func statusOf(err error) Status {
	if err == nil {
		return Success
	}
	if s, ok := errors.AsType[Status](err); ok && s < 0 {
		return s
	}
	return InvalidOperation
}
