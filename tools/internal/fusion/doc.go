// Package fusion measures what a graph compiler gains and loses by fusing: every producer of a list beside every reader of another, as one
// graph, and as two of which the second reads what the first has stored. A pair that takes longer as one is a wrong decision of
// the compiler, or a kernel that is missing. Both ways must give the same values.
package fusion
