//go:build (linux || darwin) && (amd64 || arm64) && !noopencl

package cldriver

import (
	"errors"
	"runtime"

	"github.com/ebitengine/purego"
)

// open loads a library. The C library keeps the error message per thread, so that the goroutine
// must not change threads before it reads the message.
func open(name string) (uintptr, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	h, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil && err.Error() == "" {
		err = errors.New("cannot be loaded")
	}
	return h, err
}

func symbol(h uintptr, name string) uintptr {
	p, err := purego.Dlsym(h, name)
	if err != nil {
		return 0
	}
	return p
}
