// Package bench measures the ops of anycl, alone or side by side with other libraries, and keeps the records.
//
// A [Work] is one row of a table: a [Program], which describes in a few neutral steps a computation
// on random operands, with its least cost. A [Contender] can run a program: anycl ([NewOurs]), a
// limit of the device ([NewLimits]), and in the command tools/cmd/bench other libraries. Because
// every contender reads the same program, a row is written once.
//
// # How it is measured
//
//   - Contenders take turns, A B A B, in slices of some tens of milliseconds, with
//     a pause before each slice in which the threads of the one before fall
//     asleep. The time of a contender is the median over the slices of the median
//     within a slice; a ratio is the median over the turns of the ratios within a
//     turn, so load that slows the whole machine for a while slows both sides.
//   - Results are compared before any time counts.
//   - Operands are random, never zeros.
//   - Every figure is kept with all of its context in a line of JSON.
package bench
