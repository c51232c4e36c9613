package ops

import (
	"fmt"

	"github.com/anycl/anycl/tensor"
)

// Embedding returns the rows of the table that the integers ids name:
//
//	y[p, j] = table[ids[p], j]
//
// table is [V, D], any dtype; the result has the shape of ids with D appended.
// An id outside [0, V) gives a row of zeros. Errors: table is not [V, D]; ids
// is not an integer.
func Embedding(table, ids *Node) *Node { return apply("embedding", nil, table, ids) }

var _ = define(Op{
	Name:     "embedding",
	Category: "indexing",
	Operands: []Operand{{Name: "table"}, {Name: "ids", DTypes: ints}},
	DTypes:   every,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		if len(c.shape(0)) != 2 {
			return nil, 0, fmt.Errorf("the table is %v, not [V D]", c.shape(0))
		}
		return append(append([]int{}, c.shape(1)...), c.shape(0)[1]), c.dt(0), nil
	},
	Compose: func(c *Call) *Node { return Gather(c.In[0], 0, c.In[1]) },
})
