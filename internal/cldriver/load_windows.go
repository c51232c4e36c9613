//go:build windows && (amd64 || arm64) && !noopencl

package cldriver

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// Names lists the libraries to try, in order.
func Names() []string { return []string{"OpenCL.dll"} }

// open looks for a bare name only where Windows keeps its own libraries, so that
// a file planted in the working directory is never loaded.
func open(name string) (uintptr, error) {
	var flags uintptr
	if filepath.Base(name) == name {
		flags = windows.LOAD_LIBRARY_SEARCH_SYSTEM32
	}
	h, err := windows.LoadLibraryEx(name, 0, flags)
	return uintptr(h), err
}

func symbol(h uintptr, name string) uintptr {
	p, err := windows.GetProcAddress(windows.Handle(h), name)
	if err != nil {
		return 0
	}
	return p
}
