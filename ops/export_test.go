package ops

import (
	"log/slog"
	"slices"
)

// HoldRun makes x as busy as a run does, until release is called.
func HoldRun(x *Executable) (release func()) {
	y := <-x.instances.free
	return func() { x.instances.free <- y }
}

// IsCold reports whether the first run of x would compile something.
func IsCold(x *Executable) bool {
	return slices.ContainsFunc(x.sides, func(s *side) bool {
		return s.seq != nil && s.seq.Traits().Warmer != nil && s.seq.Traits().Warmer.Cold()
	})
}

// LendFrom makes values of so many bytes and more lie where the caller has them, until restore is called.
func LendFrom(bytes int64) (restore func()) {
	before := aliasFrom
	aliasFrom = bytes
	return func() { aliasFrom = before }
}

// SetLogger is Options.Logger for a runtime on given engines.
func SetLogger(rt *Runtime, log *slog.Logger) { rt.log = log }

// Composition builds what op composes n of; nil where n is of another op or has a kernel of its own.
func Composition(op *Op, n *Node) *Node {
	if op.Compose == nil || n.op != op {
		return nil
	}
	return n.composition()
}
