package ocl

import (
	"errors"
	"fmt"
	"strings"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
)

// kernelError is the error of a caller's own kernel, in the caller's words: the name and the line
// that were given, not those of the task and of the driver.
func kernelError(device string, t *engine.Task, op string, err error) error {
	name := t.Name
	if name == "" {
		name = t.Custom.Entry
	}
	e := &engine.KernelError{Kernel: name, Caller: t.Caller, Device: device, Err: err}
	build, isBuild := errors.AsType[*cl.BuildError](err)
	bounds, isBounds := errors.AsType[*engine.BoundsError](err)
	switch {
	case isBuild:
		e.What = "does not compile: " + mistake(build, t.Custom)
	case isBounds:
		e.What = "writes out of bounds: " + bounds.Error()
	case errors.Is(err, cl.InvalidKernelName):
		e.What = fmt.Sprintf("the source has no kernel %q", t.Custom.Entry)
		if form := t.Custom.Form(true); form.Entry != t.Custom.Entry {
			e.What += fmt.Sprintf(", or no %q for CPUs", form.Entry)
		}
	default:
		e.What = op + ": " + strings.TrimPrefix(err.Error(), "cl: ")
	}
	return e
}

// mistake is the first error of a build log with the line of the source that it is about, and a
// mark below the column.
func mistake(e *cl.BuildError, k *engine.CustomKernel) string {
	first := e.First()
	if e.Line == 0 || !strings.Contains(e.File, k.Entry) {
		return first
	}
	s := fmt.Sprintf("%s:%d: %s", k.Entry, e.Line, first)
	lines := strings.Split(k.Source, "\n")
	if e.Line > len(lines) {
		return s
	}
	line := strings.TrimRight(lines[e.Line-1], "\r")
	s += "\n\t" + line
	if e.Column > 0 && e.Column <= len(line) {
		blank := strings.Map(func(r rune) rune {
			if r == '\t' {
				return r
			}
			return ' '
		}, line[:e.Column-1])
		s += "\n\t" + blank + "^"
	}
	return s
}
