package testdevices

import (
	"flag"
	"fmt"
	"os"
	"strings"

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
// compile as users do: without optimization a CPU driver compiles in half the time. It is "" for the whole matrix, and where
// the environment has it already.
func Unoptimized() string {
	if Full() || variant.Forced(variant.ForcedByEnv(), variant.Optimize) != "" {
		return ""
	}
	return variant.Optimize + "=" + variant.OptimizeOff
}

// Unoptimize has all programs of a package's tests compiled without optimization, but not those of its benchmarks. It is called
// before the tests, as testcache.Run does.
func Unoptimize() error {
	flag.Parse()
	if f := flag.Lookup("test.bench"); f != nil && f.Value.String() != "" {
		return nil
	}
	if v := Unoptimized(); v != "" {
		return os.Setenv(variant.EnvVariant, alsoForced(v))
	}
	return nil
}

// UnoptimizeTest has the programs of one test, a testing.TB, compiled without optimization: those of runtimes that it opens afterwards.
func UnoptimizeTest(t interface{ Setenv(name, value string) }) {
	if v := Unoptimized(); v != "" {
		t.Setenv(variant.EnvVariant, alsoForced(v))
	}
}

// alsoForced is v behind the variants of the environment.
func alsoForced(v string) string { return strings.TrimPrefix(variant.ForcedByEnv()+","+v, ",") }
