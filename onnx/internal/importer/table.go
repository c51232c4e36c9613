package importer

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/anycl/anycl/onnx/internal/model"
)

// operator is a row of the table of operators: how nodes of that name are built from ops.
type operator struct {
	name   string // with the domain in front, if it is not ai.onnx: "ai.onnx.ml.Scaler"
	since  int64  // the oldest version of the operator set with which it is built
	before int64  // the version in which it was taken away; 0: it is there
	build  func(c *call) []*value
	ignore []string // attributes that change nothing here
	random bool     // draws numbers
	// control has inner graphs.
	control bool
	// narrow takes element types of 8 bits and fewer by the values that a wider dtype carries; moves does so for its first input
	// alone, whose elements it moves: its results are of that type.
	narrow, moves bool
}

// rowsOf give the rows of the table, by family.
var rowsOf []func() []*operator

// define adds rows to the table.
func define(rows func() []*operator) bool {
	rowsOf = append(rowsOf, rows)
	return true
}

// table has the operators by name. It is made when a model is first read, since most programs read none.
var table = sync.OnceValue(func() map[string][]*operator {
	all := map[string][]*operator{}
	for _, rows := range rowsOf {
		for _, op := range rows() {
			all[op.name] = append(all[op.name], op)
		}
	}
	return all
})

// Newest is the newest version of ai.onnx that the rows were written for: changes of later ones are not known.
const Newest = 27

// find is the operator of a node.
func find(n *model.Node, opsets map[string]int64) (*operator, error) {
	name := n.Op
	if n.Domain != "" {
		name = n.Domain + "." + n.Op
	}
	rows := table()[name]
	if len(rows) == 0 {
		return nil, fmt.Errorf("there is no operator %s here: it would need a row in the table of operators, or a function of the model", name)
	}
	v, ok := opsets[n.Domain]
	if !ok {
		return nil, fmt.Errorf("the model imports no version of the operator set %q", n.Domain)
	}
	for _, op := range rows {
		if v >= op.since && (op.before == 0 || v < op.before) {
			return op, nil
		}
	}
	return nil, fmt.Errorf("operator %s of version %d is not supported: those from %d on are", name, v, rows[0].since)
}

// Operators are the names of the operators that can be imported, sorted; those that are not of ai.onnx have their domain in
// front.
func Operators() []string {
	var all []string
	for name := range table() {
		all = append(all, name)
	}
	slices.SortFunc(all, func(a, b string) int { return strings.Compare(a, b) })
	return all
}
