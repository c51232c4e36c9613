package ops

import "errors"

// What packages need that build layers, losses or optimisers on this one.

// Name is the name that an input or a variable was given, and of other nodes that of their op.
func (n *Node) Name() string {
	if n == nil {
		return ""
	}
	return n.label()
}

// Fail records a mistake of the function that is called op, as the functions of this package do: building goes on,
// what is built on the result is silent, and [Graph.Compile] returns err with the caller's line and the operands in. A nil
// err is a mistake of its own.
func (g *Graph) Fail(op string, err error, in ...*Node) *Node {
	if err == nil {
		err = errors.New("it failed without an error")
	}
	return g.fail(op, in, err)
}

// Helper makes the package that calls it one through which errors look: the line that they name is where a function of that
// package was called, as it is with packages that [Define] ops. It is called once, when a program begins:
//
//	func init() { ops.Helper() }
//
// Lines of tests and of a program's main package are named all the same.
func Helper() { definedHere() }

// Named gives what build adds to the graph the name of one op, as the parts of a composition have it: mistakes, tasks and profiles
// bear it, with the line that called this. Within another that is named, the outer name counts.
func (g *Graph) Named(name string, build func()) {
	if g == nil {
		build()
		return
	}
	g.scope = append(g.scope, scope{name: name, caller: callerLine()})
	defer func() { g.scope = g.scope[:len(g.scope)-1] }()
	build()
}
