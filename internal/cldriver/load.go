//go:build (linux || darwin || windows) && (amd64 || arm64) && !noopencl

package cldriver

import (
	"fmt"
	"strings"
	"sync"
)

// library is an OpenCL library loaded at run time.
type library struct {
	name string
	fn   [fnCount]uintptr

	mu       sync.Mutex
	recorder map[Handle]*recorder // command buffer functions by platform
}

var _ Driver = (*library)(nil)

// Load opens the library of that name or path. It stays loaded for the life of
// the process: drivers own threads.
func Load(name string) (Driver, error) {
	h, err := open(name)
	if err != nil && strings.HasPrefix(err.Error(), name+": ") { // as the GNU C library says it
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	l := &library{name: name, recorder: map[Handle]*recorder{}}
	for i, f := range fnNames {
		l.fn[i] = symbol(h, f) // 0 when absent
	}
	if l.fn[getPlatformIDs] == 0 {
		return nil, fmt.Errorf("%s: not an OpenCL library: %s is missing", name, fnNames[getPlatformIDs])
	}
	return l, nil
}

func (l *library) Name() string { return l.name }

func (l *library) Has(f Feature) bool {
	switch f {
	case FeatureSVM:
		return l.fn[svmAlloc] != 0 && l.fn[svmFree] != 0 && l.fn[setKernelArgSVMPointer] != 0
	case FeatureIL:
		return l.fn[createProgramWithIL] != 0
	}
	return false
}
