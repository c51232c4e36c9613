package ops

import (
	"log/slog"

	"github.com/anycl/anycl/internal/plan"
)

// HoldRun makes x as busy as a run does, until release is called.
func HoldRun(x *Executable) (release func()) { return x.executor.Hold() }

// IsCold reports whether the first run of x would compile something.
func IsCold(x *Executable) bool { return x.executor.Cold() }

// LendFrom makes values of a given number of bytes and more lie where the caller has them, until restore is called.
func LendFrom(bytes int64) (restore func()) {
	before := plan.AliasFrom
	plan.AliasFrom = bytes
	return func() { plan.AliasFrom = before }
}

// SetLogger is Options.Logger for a runtime on given engines.
func SetLogger(rt *Runtime, log *slog.Logger) { rt.exec.Log = log }

// Composition builds what op composes n of; nil where n is of another op or has a kernel of its own.
func Composition(op *Op, n *Node) *Node {
	if op.Compose == nil || n.op != op {
		return nil
	}
	return n.composition()
}
