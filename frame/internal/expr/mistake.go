package expr

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// Callers is where a part of a query was written.
type Callers [6]uintptr

// Here is where the function was called that calls Here.
func Here() (c Callers) {
	runtime.Callers(3, c[:])
	return c
}

// String returns the file and line of the first caller outside of the package, "" without one.
func (c Callers) String() string {
	if c[0] == 0 {
		return ""
	}
	frames := runtime.CallersFrames(c[:])
	for {
		f, more := frames.Next()
		if f.File != "" && (!strings.Contains(f.Function, "anycl/frame.") && !strings.Contains(f.Function, "anycl/frame/internal/") ||
			strings.HasSuffix(f.File, "_test.go")) {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		if !more {
			return ""
		}
	}
}

// mistake is an error in a query, with the line that has it.
type mistake struct {
	what string
	at   string
	err  error
}

func (m *mistake) Error() string {
	if m.at == "" {
		return m.what + ": " + m.err.Error()
	}
	return m.what + " at " + m.at + ": " + m.err.Error()
}

func (m *mistake) Unwrap() error { return m.err }

// Wrong names the step, or the expression, that has an error, unless one within it is named.
func Wrong(what string, at Callers, err error) error {
	var m *mistake
	if errors.As(err, &m) {
		return err
	}
	return &mistake{what, at.String(), err}
}

// Joined are the mistakes of a query.
func Joined(errs []error) error {
	switch len(errs) {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("frame: %w", errs[0])
	}
	return fmt.Errorf("frame: %d mistakes\n%w", len(errs), errors.Join(errs...))
}

// ErrNoColumn is the error of a name that no column has.
var ErrNoColumn = errors.New("there is no column")
