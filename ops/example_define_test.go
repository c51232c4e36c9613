package ops_test

import (
	"context"
	"fmt"
	"log"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// huberAttr are the attributes of the op.
type huberAttr struct {
	Delta float64 `default:"1" doc:"where the square ends and the line begins"`
}

var _ = ops.MustDefine(ops.Op{
	Name: "example.huber", Category: "loss",
	Operands: []ops.Operand{{Name: "x"}}, DTypes: []tensor.DType{tensor.Float32, tensor.Float64},
	Attributes: ops.AttributesOf[huberAttr](),
	Result:     func(c *ops.Call) ([]int, tensor.DType, error) { return c.Shape(0), c.DType(0), nil },
	Compose: func(c *ops.Call) *ops.Node {
		x, delta := ops.Abs(c.In[0]), ops.ScalarLike(c.In[0], c.Attr.(huberAttr).Delta)
		half := ops.ScalarLike(x, 0.5)
		square := ops.Mul(half, ops.Square(x))
		line := ops.Mul(delta, ops.Sub(x, ops.Mul(half, delta)))
		return ops.Where(ops.Less(x, delta), square, line)
	},
})

// Huber returns x²/2 where |x| < delta, else delta · (|x| - delta/2).
func Huber(x *ops.Node, delta float64) *ops.Node {
	return ops.Apply("example.huber", huberAttr{delta}, x)
}

// An op of another package is one that graphs, errors, reports and gradients know by name.
func ExampleDefine() {
	ctx := context.Background()
	rt, err := ops.Open(ctx, &ops.Options{Device: "none"})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()
	g := ops.NewGraph("define")
	x := g.Input("x", tensor.Float32, 3)
	y := Huber(x, 2)
	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{y, ops.Gradients(ops.Sum(y), x)[0]}})
	if err != nil {
		log.Fatal(err)
	}
	defer exe.Close()
	out, err := exe.Run(ctx, ops.Feeds{x: tensor.Must(tensor.FromSlice([]float32{-4, 1, 3}))})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v %v\n", out[0].Float64At(0), out[1].Float64At(0))
	// Output: 6 -2
}

// Importers call ops by name, with attributes as they come from a file.
func ExampleApply() {
	g := ops.NewGraph("apply")
	x := g.Input("x", tensor.Float32, 4, 6)
	y := ops.Apply("transpose", nil, x)
	z := ops.Apply("softmax", map[string]any{"axis": 0}, y)
	fmt.Println(z.Shape(), z.Op().Name, z.Attr())
	ops.Apply("softmax", map[string]any{"axes": 0}, y)
	fmt.Println(g.Err())
	// Output:
	// [6 4] softmax {0}
	// ops: compile "apply": 1 error
	//   softmax at ops/example_define_test.go:67: there is no attribute "axes": they are axis
}
