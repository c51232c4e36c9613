// Package drills holds tests of faults that must not happen however long a program runs and
// whatever fails: growth, leaks, hangs, wrong results, unreported errors. Each drill asserts and
// says a figure; docs/reliability.md is the table of them, and its first test compares the two. `go
// test` runs a short version of each,
//
//	make drills
//
// the long one, and writes the figures into the table. RUN=Launches is one of them.
package drills
