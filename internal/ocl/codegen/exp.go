package codegen

import "github.com/anycl/anycl/engine"

// ExpBelow is exp for arguments that are not above 0.
var ExpBelow = &engine.Scalar{Name: "exp_below", Arity: 1, OpenCL: "exp_below(a)", Flops: 16}
