// Package exec runs the programs that package plan makes.
//
// An [Executor] is a compiled graph. It has one version, a program with its instances, for each placement that it has
// had, and replaces the one that runs when others turn out to be faster. An instance owns memory and prepared
// kernels, and does one run at a time.
package exec
