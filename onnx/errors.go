package onnx

import (
	"fmt"
	"slices"
)

// first are the first errors, and how many more there are.
func first(errs []error, n int) []error {
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	if len(errs) <= n {
		return errs
	}
	return append(errs[:n:n], fmt.Errorf("and %d more", len(errs)-n))
}

// boundedError is an error whose text is not longer than people read: files can have names of any length.
type boundedError struct{ error }

const maxText = 1 << 16

func bounded(err error) error { return boundedError{err} }

func (e boundedError) Error() string {
	text := e.error.Error()
	if len(text) <= maxText {
		return text
	}
	return fmt.Sprintf("%s ... and %d bytes more", text[:maxText], len(text)-maxText)
}

func (e boundedError) Unwrap() error { return e.error }
