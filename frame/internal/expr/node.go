// Package expr has the expressions of queries: their tree, their types, and the two forms in which they run, loops over morsels and ops of
// a graph, which one binder makes so that they follow the same rules.
package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anycl/anycl/frame/column"
)

// Node is an expression over columns.
type Node struct {
	Op    string
	Args  []*Node
	Name  string      // of a column; the result's name for "as"
	Value any         // of a literal, or a parameter of the op
	Type  column.Type // of a cast
	At    Callers
}

// Infix are the ops that are written between their operands.
var Infix = map[string]string{"add": "+", "sub": "-", "mul": "*", "div": "/", "intdiv": "//", "mod": "%", "eq": "=", "ne": "<>",
	"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "and": "and", "or": "or"}

func (n *Node) String() string {
	switch n.Op {
	case "col":
		return n.Name
	case "lit":
		switch v := n.Value.(type) {
		case string:
			return fmt.Sprintf("%q", v)
		case nil:
			return "null"
		}
		return fmt.Sprint(n.Value)
	case "as":
		return n.Args[0].String() + " as " + n.Name
	case "cast", "trycast":
		return n.Op + "(" + n.Args[0].String() + " as " + n.Type.String() + ")"
	}
	var args []string
	for _, a := range n.Args {
		args = append(args, a.String())
	}
	if s, ok := Infix[n.Op]; ok && len(args) == 2 {
		return "(" + args[0] + " " + s + " " + args[1] + ")"
	}
	if n.Value != nil {
		args = append(args, fmt.Sprint(n.Value))
	}
	return n.Op + "(" + strings.Join(args, ", ") + ")"
}

// Label is the name of the result.
func (n *Node) Label() string {
	switch n.Op {
	case "as", "col":
		return n.Name
	}
	for _, a := range n.Args {
		if l := a.Label(); l != "" {
			return l
		}
	}
	if n.Op == "lit" {
		return ""
	}
	return n.Op
}

// Aggregates are the ops that have one result for a group.
var Aggregates = map[string]bool{"sum": true, "mean": true, "min": true, "max": true, "count": true, "rows": true, "nunique": true,
	"var": true, "std": true, "quantile": true, "first": true, "last": true, "any": true, "all": true, "corr": true, "argmin": true,
	"argmax": true}

// WindowFunctions are the ops that depend on the order of a window.
var WindowFunctions = map[string]bool{"rownumber": true, "rank": true, "lag": true, "cumsum": true, "cumcount": true, "cummin": true,
	"cummax": true, "rollsum": true, "rollmean": true, "rollmin": true, "rollmax": true}

// Bare is an expression without its name.
func Bare(n *Node) *Node {
	for n.Op == "as" {
		n = n.Args[0]
	}
	return n
}

func isLiteral(n *Node) bool { return Bare(n).Op == "lit" }

// ColumnsOf returns the names of the columns that an expression reads.
func ColumnsOf(n *Node) (names []string) {
	if n.Op == "col" {
		return []string{n.Name}
	}
	for _, a := range n.Args {
		names = append(names, ColumnsOf(a)...)
	}
	return names
}

var mayFail = []string{"cast", "truncate", "offset"}

// Fallible reports whether the values of rows can make an expression fail.
func Fallible(n *Node) bool {
	return slices.Contains(mayFail, n.Op) || slices.ContainsFunc(n.Args, Fallible)
}

// Overflowing reports whether an expression has a sum, which may not fit its type.
func Overflowing(n *Node) bool { return n.Op == "sum" || slices.ContainsFunc(n.Args, Overflowing) }

// Masked is an expression as text in which constants are left out.
func Masked(n *Node) string {
	switch n.Op {
	case "lit":
		return "?"
	case "col":
		return fmt.Sprintf("%q", n.Name)
	case "as":
		return Masked(n.Args[0])
	}
	s := n.Op
	if n.Value != nil {
		s += fmt.Sprintf("[%v]", n.Value)
	}
	if n.Op == "cast" || n.Op == "trycast" {
		s += "<" + n.Type.String() + ">"
	}
	s += "("
	for _, a := range n.Args {
		s += Masked(a) + " "
	}
	return s + ")"
}

// Col reads a column.
func Col(name string) *Node { return &Node{Op: "col", Name: name} }

// Lit is a constant.
func Lit(v any) *Node { return &Node{Op: "lit", Value: v} }

// Apply is an op of operands.
func Apply(op string, args ...*Node) *Node { return &Node{Op: op, Args: args} }

// As names an expression.
func As(n *Node, name string) *Node { return &Node{Op: "as", Name: name, Args: []*Node{n}} }
