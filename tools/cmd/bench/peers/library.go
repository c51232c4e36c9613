package peers

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// open loads the first of the libraries that is installed. The environment variable goes before all.
func open(env string, names ...string) (handle uintptr, path string, err error) {
	if p := os.Getenv(env); p != "" {
		names = []string{p}
	}
	var errs []error
	for _, name := range names {
		// Local, because several of these export the same names of BLAS.
		h, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
		if err == nil {
			return h, name, nil
		}
		errs = append(errs, err)
	}
	return 0, "", fmt.Errorf("peers: no library (%s names one): %w", env, errors.Join(errs...))
}

// cString is s with the zero that C wants.
func cString(s string) []byte { return append([]byte(s), 0) }

// goString copies a string of C.
func goString(p uintptr) string {
	if p == 0 {
		return ""
	}
	var b []byte
	for q := *(*unsafe.Pointer)(unsafe.Pointer(&p)); *(*byte)(q) != 0; q = unsafe.Add(q, 1) {
		b = append(b, *(*byte)(q))
	}
	return string(b)
}

// threads is how many threads a peer may use: all cores, as ours does.
func threads() int { return runtime.NumCPU() }
