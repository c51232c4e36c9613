// Command start imports every package that programs do, to show what that costs them at start.
package main

import (
	_ "github.com/anycl/anycl/blas"
	_ "github.com/anycl/anycl/cl"
	_ "github.com/anycl/anycl/engine"
	_ "github.com/anycl/anycl/fallback"
	_ "github.com/anycl/anycl/frame"
	_ "github.com/anycl/anycl/frame/column"
	_ "github.com/anycl/anycl/frame/csv"
	_ "github.com/anycl/anycl/kernels"
	_ "github.com/anycl/anycl/ops"
	_ "github.com/anycl/anycl/platform"
	_ "github.com/anycl/anycl/tensor"
	_ "github.com/anycl/anycl/tokenizer"
)

func main() {}
