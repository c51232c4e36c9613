// Package optest is the conformance suite of everything that executes op
// graphs. An author of an engine writes
//
//	func TestConformance(t *testing.T) {
//		optest.TestEngine(t, func() (engine.Engine, error) { return mine.Open() })
//	}
//
// and learns whether it keeps the promises of the seam (memory, order, errors,
// lifetime) and whether every op of package ops gives the right numbers in
// every dtype.
//
// The right numbers are those of a reference: one plain function for each op, over
// float64 and exact integers, written from the definition of the op and from
// nothing that the engines share. It stands in the [Spec] of the op, with how far
// a result may be from it ([Tolerance]) and the calls that are tried ([Sample]). A
// package with ops of its own makes them part of the suite with [Register].
//
// Beside single ops the suite checks gradients against finite differences, and
// random graphs of many ops against the reference of each op in turn, so that
// a mistake in fusing them shows.
package optest
