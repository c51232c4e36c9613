//go:build (linux || darwin) && (amd64 || arm64) && !noopencl

package cldriver

import (
	"os"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// libcEnv are the C library's functions; drivers read its environment and not Go's.
var libcEnv = sync.OnceValue(func() (fn struct{ set, unset uintptr }) {
	fn.set = symbol(purego.RTLD_DEFAULT, "setenv")
	fn.unset = symbol(purego.RTLD_DEFAULT, "unsetenv")
	return fn
})

// WithEnv calls f while drivers see the environment variable name with a value. It
// reports false, and f does not run, where the variable is set already or cannot be set. Programs
// that this one starts meanwhile do not inherit it.
func WithEnv(name, value string, f func()) bool {
	fn := libcEnv()
	if fn.unset == 0 || !SetEnv(name, value) {
		return false
	}
	key := append([]byte(name), 0)
	defer func() { purego.SyscallN(fn.unset, uintptr(unsafe.Pointer(&key[0]))) }()
	f()
	return true
}

// SetEnv lets drivers, and programs that they start, see the environment variable name with a value from now on. It
// reports false where the variable is set already or cannot be set. Programs that this one starts do not inherit it.
func SetEnv(name, value string) bool {
	fn := libcEnv()
	if _, set := os.LookupEnv(name); set || fn.set == 0 {
		return false
	}
	key, val := append([]byte(name), 0), append([]byte(value), 0)
	const keep = 0 // the value that another thread set meanwhile
	r, _, _ := purego.SyscallN(fn.set, uintptr(unsafe.Pointer(&key[0])), uintptr(unsafe.Pointer(&val[0])), keep)
	return int32(r) == 0
}
