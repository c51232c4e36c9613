package stencil

import (
	"github.com/anycl/anycl/ops"
)

// Tiles is a launch of the given number of steps by the kernel for GPUs, whatever the device.
func Tiles(x *ops.Node, o ops.StencilOptions, steps int) (*ops.Node, error) {
	launch, _ := ops.OpNamed("stencil.launch")
	whole := Steps(x, o, steps)
	if err := x.Graph().Err(); err != nil {
		return nil, err
	}
	a := whole.Attr().(stepsAttr)
	k := launch.Kernel(&ops.Call{Op: launch, In: []*ops.Node{x}, Attr: a})
	k.CPU, k.Host = nil, nil
	k.Results = []ops.Result{{DType: x.DType(), Shape: x.Shape()}}
	return ops.Kernel(x.Graph(), k, x)[0], nil
}
