// Package ops builds, differentiates, compiles and runs graphs of tensor
// operations.
//
// # Building
//
// A [Graph] starts from [Graph.Input], [Graph.Const] and [Graph.Variable];
// functions such as [Add], [MatMul] and [Conv2D] take nodes and return nodes.
// Shapes are inferred while building. Operands broadcast by the NumPy rules and
// must agree in dtype: there are no implicit casts. A mistake is recorded with
// the line that made it and does not interrupt building; [Graph.Compile] returns
// all of them.
//
// [Gradients] adds derivatives, of which package optim makes training steps, [Kernel]
// puts a user's own OpenCL C kernel into the graph. [Define] makes an op of a composition or a kernel,
// with attributes, a gradient and a name; [Apply] calls any op by its name.
//
// [VJP], [JVP] and [HVP] multiply Jacobian and Hessian matrices by vectors, [Jacobian] and [Hessian] are these matrices. [CustomGradient]
// gives a part of a graph another derivative, [StopGradient] none, and [Checkpoint] has its inside computed again for a gradient instead
// of kept.
//
// [If], [While] and [Scan] build branches and loops: the nodes that the functions given to them build
// belong to a region, which runs when its branch is taken, or as often as its loop goes round. A region
// may read every node around it, and its values leave it as results only.
//
// # Running
//
// [Open] finds the devices and gives a [Runtime]. Compile turns part of a graph
// into an [Executable], which runs as often as wanted:
//
//		build -> check -> differentiate -> simplify -> fuse into tasks -> place -> plan memory -> prepare -> run, run, run
//
//	  - Views (reshape, transpose, slice, broadcast, flip, pad, windows) never move
//	    data: they become addresses in the kernels that read them.
//	  - Element-wise chains are fused into the reduction or contraction before them
//	    (as its epilogue) or after them (as its loads).
//	  - Variables stay where they are used and are updated in place. So do the values that the
//	    iterations of a loop pass on.
//
// [Executable.Explain] shows the result: tasks, engines, times, kernels, memory.
//
// # Concurrency
//
//	Runtime, Executable   safe for concurrent use
//	Graph, Node           one goroutine at a time
//	Value, Set            safe; they wait for runs that use the variable
//
// # Numbers
//
// Mathematics is precise by default; [Target].FastMath allows the compiler of a
// device less. Float16 and bfloat16 are computed in float32 and rounded when
// stored, so a fused chain is at least as exact as its parts. Integers wrap.
// Sums are taken in a fixed order: a task gives the same bits on the same engine, run after run. Where
// the cost model is free to choose, an executable may move tasks to another engine between two
// runs, which then differ in the last bits. [Target].Fixed keeps them where they are, and [Target].Reproducible
// gives the same bits in every process too; [Report].Placements tells how often each placement ran.
package ops
