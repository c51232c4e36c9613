//go:build !((linux || darwin) && (amd64 || arm64)) || noopencl

package cldriver

// WithEnv cannot change the environment of drivers here: it reports false, and f does not run.
func WithEnv(name, value string, f func()) bool { return false }

// SetEnv cannot either.
func SetEnv(name, value string) bool { return false }
