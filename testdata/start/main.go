// Command start imports every package that programs do, to show what that costs them at start: all but ops/pprof, whose encoder
// compiles regular expressions.
package main

import (
	_ "github.com/anycl/anycl/blas"
	_ "github.com/anycl/anycl/checkpoint"
	_ "github.com/anycl/anycl/cl"
	_ "github.com/anycl/anycl/data"
	_ "github.com/anycl/anycl/data/augment"
	_ "github.com/anycl/anycl/engine"
	_ "github.com/anycl/anycl/fallback"
	_ "github.com/anycl/anycl/frame"
	_ "github.com/anycl/anycl/frame/column"
	_ "github.com/anycl/anycl/frame/csv"
	_ "github.com/anycl/anycl/kernels"
	_ "github.com/anycl/anycl/nn"
	_ "github.com/anycl/anycl/onnx"
	_ "github.com/anycl/anycl/ops"
	_ "github.com/anycl/anycl/ops/all"
	_ "github.com/anycl/anycl/optim"
	_ "github.com/anycl/anycl/platform"
	_ "github.com/anycl/anycl/safetensors"
	_ "github.com/anycl/anycl/serve"
	_ "github.com/anycl/anycl/sparse"
	_ "github.com/anycl/anycl/tensor"
	_ "github.com/anycl/anycl/tokenizer"
	_ "github.com/anycl/anycl/train"
)

func main() {}
