// Package matrix runs the portability matrix: every op in every dtype on every device of a machine and on the CPU
// path, each against the reference of package optest, then gradients, folds over millions of values and random
// graphs. The result is a [Report], which is text, JSON and an HTML page.
//
// The tests of the repository run the same parts and choose devices in the same way.
package matrix
