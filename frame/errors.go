package frame

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// ErrMemory is the error of a query that would need more memory than [Options.Memory] allows.
var ErrMemory = errors.New("more memory than the limit")

// callers is where a part of a query was written.
type callers [6]uintptr

func here() (c callers) {
	runtime.Callers(3, c[:])
	return c
}

// String returns the file and line of the first caller outside of the package, "" without one.
func (c callers) String() string {
	if c[0] == 0 {
		return ""
	}
	frames := runtime.CallersFrames(c[:])
	for {
		f, more := frames.Next()
		if f.File != "" && (!strings.Contains(f.Function, "anycl/frame.") || strings.HasSuffix(f.File, "_test.go")) {
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

func wrong(what string, at callers, err error) error {
	var m *mistake
	if errors.As(err, &m) {
		return err
	}
	return &mistake{what, at.String(), err}
}

// joined are the mistakes of a query.
func joined(errs []error) error {
	switch len(errs) {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("frame: %w", errs[0])
	}
	return fmt.Errorf("frame: %d mistakes\n%w", len(errs), errors.Join(errs...))
}

// tooMany is the error of a join with more rows than a frame can have.
type tooMany struct{ rows int64 }

func (e *tooMany) Error() string {
	return fmt.Sprintf("the join has %d rows, a frame up to %d", e.rows, uint64(maxRows))
}

func (e *tooMany) Is(target error) bool { return target == ErrMemory }
