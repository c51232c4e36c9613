package ops

import "github.com/anycl/anycl/internal/calibrate"

// Materialize makes x a buffer of its own.
func Materialize(x *Node) *Node { return materialize(x) }

// Undefine takes an op of a test out of the table.
func Undefine(name string) {
	tableMu.Lock()
	defer tableMu.Unlock()
	delete(table, name)
}

// Probes is how many graphs calibration times on each engine.
func Probes() int { return len(probes()) }

// KeepLearned keeps the corrections that rt has learned for its engines, for later processes.
func KeepLearned(rt *Runtime) { rt.keepLearned() }

// Activity is the activity of rt, by which background calibration sees whether the program is idle.
func Activity(rt *Runtime) calibrate.Activity { return rt.activity() }

// Begins is a compilation that goes on until ends is called.
func Begins(rt *Runtime) (ends func()) { return rt.begins() }

// Measuring reports whether rt measures beside the program.
func Measuring(rt *Runtime) bool { return rt.beside.Running() }

// Composition builds what op composes n of; nil where n is of another op or has a kernel of its own.
func Composition(op *Op, n *Node) *Node {
	if op.Compose == nil || n.op != op {
		return nil
	}
	return n.composition()
}
