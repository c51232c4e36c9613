//go:build !((linux || darwin || windows) && (amd64 || arm64)) || noopencl

package cldriver

import "errors"

// Names is empty: this build cannot load libraries.
func Names() []string { return nil }

// Load always fails in this build.
func Load(name string) (Driver, error) {
	return nil, errors.New(name + ": this build cannot load libraries")
}
