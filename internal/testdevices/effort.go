package testdevices

import (
	"fmt"
	"os"

	"github.com/anycl/anycl/internal/ocl/variant"
)

// EnvMatrix set to "full" runs every cell of the conformance matrix on its own on devices too, and has every program optimized:
// thousands of kernels, minutes where they are not in a cache.
const EnvMatrix = "ANYCL_MATRIX"

// Full reports whether the environment asks for the whole matrix.
func Full() bool {
	v := os.Getenv(EnvMatrix)
	if v != "" && v != "full" {
		panic(fmt.Sprintf("%s=%s: must be full, or not set", EnvMatrix, v))
	}
	return v != ""
}

// Unoptimized is a list of variants, in the form of variant.EnvVariant, for tests of graphs by the dozen whose kernels other tests
// compile as users do: without optimization a CPU driver compiles in half the time. It is "" for the whole matrix.
func Unoptimized() string {
	if Full() {
		return ""
	}
	return variant.Optimize + "=" + variant.OptimizeOff
}
