// Package engine is the interface between op graphs and the engines that execute them.
//
// A graph of package ops is lowered to tasks; an [Engine] runs tasks. Two engines exist: an OpenCL device
// (internal/ocl) and the CPU path (package fallback). The interface consists of tasks, memory handles
// and byte slices, never a graph node and never an OpenCL type, so a third engine needs only this
// package. Package ops/optest is the conformance suite for one. An engine's [Traits] list the optional
// features that it has; an engine that wraps another keeps them, or overrides that one method.
//
// # Tasks
//
// A [Task] is one fused unit of work over a domain: a box of integer
// coordinates, one per axis. Its values are expressions ([Expr]) whose leaves
// load from input buffers at addresses ([Index]) that are integer expressions
// over the coordinates. Transposes, slices, pads, broadcasts and windows exist
// only as such addresses. There are eight kinds:
//
//	Map       out[p]      = Value(p)
//	Reduce    out[p]      = Epilogue(p, fold over q of Value(p, q))
//	Row       out[p,q]    = Value(p, q, folds over q); see Task
//	Contract  out[b,m,n]  = Epilogue(b,m,n, sum over k of A(b,m,k)·B(b,n,k))
//	Scatter   out[v,d]    = Value(v,d) + sum over n with At(n) = v of Update(n,d); or another fold, see Put
//	Attention softmax(Q·Kᵀ)·V and its gradients; see AttentionTask
//	Routine   a library algorithm: a sort, a running sum, a tree walk; see Algorithm
//	Custom    a user's own kernel, or the same in Go
//
// Every output is written densely in row-major order of the task's output
// axes. An order other than the tensor's logical one is part of how the
// consumers address it.
//
// # Register types
//
// Float16 and bfloat16 are storage types: a load widens to float32, a store
// rounds to nearest even, and only an explicit cast rounds in between. Integers
// wrap at the width of their dtype after every operation. Bool is 0 or 1.
package engine
