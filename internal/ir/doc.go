// Package ir is the compiler's representation of a graph, between the ops that users call and the tasks
// that engines run.
//
// A graph is translated once, to [Node]: primitive ops only, equal computations shared. The passes of package lower
// turn these into a list of [Instruction], tasks with the [Value] that each reads and writes, in which a [Flow] marks the
// stretches that are branches and loops.
package ir
