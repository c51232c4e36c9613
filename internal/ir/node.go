package ir

import (
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/store"
	"github.com/anycl/anycl/tensor"
)

// Kind says how the passes treat an op that is neither element-wise nor a view.
type Kind uint8

// The kinds of primitive ops.
const (
	KindNone      Kind = iota // element-wise, a view, or a composition
	KindInput                 // fed by the caller of a run
	KindConst                 // a tensor that is part of the graph
	KindVariable              // state that outlives a run
	KindIota                  // coordinates
	KindRandom                // random numbers
	KindReduce                // a fold over axes
	KindContract              // a sum of products over axes
	KindGather                // elements at positions that are data
	KindScatter               // sums at positions that are data
	KindCustom                // a user's kernel
	KindAttention             // one pass of an attention
	KindPick                  // one result of an op that has several
	KindAssign                // the update of a variable
	KindRoutine               // an algorithm over whole tensors
	KindParam                 // a value that a loop's body gets from the iteration before, or reads from outside
	KindControl               // a branch or a loop
)

// Traits are the properties of an op that passes ask about, beside its kind.
type Traits uint16

// The traits of ops.
const (
	TraitIdentity    Traits = 1 << iota // the result is operand 0
	TraitRepeats                        // every element is one of operand 0's, none is left out or filled in for all
	TraitReadsInside                    // reads operand 0 where the result has an element of it, and fills in the rest
	TraitMaterialize                    // the result is a buffer of its own
	TraitMatchLayout                    // the result lies in memory as operand 1 does
	TraitWindows                        // the result is sliding windows of operand 0
	TraitReshape                        // the elements of operand 0 in row-major order
	TraitTranspose                      // the axes of operand 0 in another order
	TraitDistinct                       // equal nodes are different computations
	TraitAfter                          // a view of operand 0 that is read after the other operands are made, of which it reads nothing
)

// Op describes a primitive op to passes.
type Op struct {
	Name   string
	Kind   Kind
	Traits Traits
	Scalar *engine.Scalar // of an element-wise op
	Fold   engine.Monoid  // with KindReduce
	// View maps coordinates of the result to coordinates of operand 0, and says where there is an element.
	View func(n *Node, at []*engine.Index, dom engine.Domain) (src []*engine.Index, conds []engine.Cond)
	// Fill is the value of a view where it has no element of its operand; nil: zeros.
	Fill func(n *Node) float64
	// Algorithm is the algorithm of a routine, whose operands are dense.
	Algorithm func(n *Node) engine.Algorithm
}

// Place says where a task must run.
type Place int

// Places of tasks. Those above CPU are the second device and those after it.
const (
	Anywhere    Place = iota // where it is predicted to be fastest
	FirstDevice              // the engine that is preferred, where there is a device
	CPU                      // the CPU engine
)

// Device is the number of the device that p names, or -1.
func (p Place) Device() int {
	switch {
	case p == FirstDevice:
		return 0
	case p > CPU:
		return int(p - CPU)
	}
	return -1
}

// Node is one value of a simplified graph: the result of a primitive op. Equal computations are one node.
type Node struct {
	ID     int
	Op     *Op
	In     []*Node
	Attr   any
	Shape  []int
	DType  tensor.DType
	Caller string          // the line that asked for it
	Scope  string          // the op that the user called: of a part of a composition, the whole
	Label  string          // for people: of an input or variable, its name
	Made   int             // the place, from 1, among what the user asked for
	Where  Place           // where it must run
	State  *store.Variable // of a variable
	Outs   []Result        // of an op with several results
	// Origin is the front end's own node.
	Origin any
}

// Rank is the number of axes of n.
func (n *Node) Rank() int { return len(n.Shape) }

// Size is the number of elements of n.
func (n *Node) Size() int { return Product(n.Shape) }

// Is reports whether the op of n has a trait.
func (n *Node) Is(t Traits) bool { return n.Op.Traits&t != 0 }

// FreeView reports whether n is a view that costs nothing and decides nothing about memory.
func (n *Node) FreeView() bool { return n.Op.View != nil && !n.Is(TraitMaterialize|TraitMatchLayout) }

// Elementwise reports whether n computes one element from the elements beside it.
func (n *Node) Elementwise() bool { return n.Op.Scalar != nil && n.Op.Kind == KindNone }

// InBuffer reports whether n is a buffer before any task has run.
func (n *Node) InBuffer() bool {
	switch n.Op.Kind {
	case KindInput, KindVariable, KindParam:
		return true
	case KindConst:
		return n.Attr.(*tensor.Tensor).Len() != 1
	}
	return false
}

// CustomAttr is a user's kernel.
type CustomAttr struct {
	Name   string
	Kernel *engine.CustomKernel
}

// Walk visits everything that n depends on, operands before users, without recursion: graphs can be
// deeper than a stack should be.
func Walk[N comparable](n N, seen map[N]bool, deps func(N) []N, visit func(N)) {
	type frame struct {
		n    N
		deps []N
	}
	if seen[n] {
		return
	}
	seen[n] = true
	stack := []frame{{n, deps(n)}}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if len(f.deps) == 0 {
			visit(f.n)
			stack = stack[:len(stack)-1]
			continue
		}
		next := f.deps[0]
		f.deps = f.deps[1:]
		if !seen[next] {
			seen[next] = true
			stack = append(stack, frame{next, deps(next)})
		}
	}
}

// operands are the operands of n, for [Walk].
func operands(n *Node) []*Node { return n.In }

// Reads are the operands of n but those that only say when it is read.
func (n *Node) Reads() []*Node {
	if n.Is(TraitAfter) {
		return n.In[:1]
	}
	return n.In
}

// Picked reports whether one of users reads result i of a node.
func Picked(users []*Node, i int) bool {
	return slices.ContainsFunc(users, func(u *Node) bool { return u.Attr == PickAttr{i} })
}

// Result is the dtype and shape of one result of an op that has several.
type Result struct {
	DType tensor.DType
	Shape []int
}
