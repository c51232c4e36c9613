// Package testcache gives the tests of a package a cache folder of their own. Times of a
// machine that runs tests are no ones to place the user's graphs by.
package testcache

import (
	"fmt"
	"os"
	"testing"
)

// variable is platform.EnvCache; that package's tests use this one.
const variable = "ANYCL_CACHE"

// Run is m.Run, for this process and those that it starts, in a folder that is
// removed afterwards. Before the tests it calls before, whose errors are left to them.
func Run(m *testing.M, before ...func() error) int {
	dir, err := os.MkdirTemp("", "anycl-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := os.Setenv(variable, dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for _, f := range before {
		if err := f(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	return m.Run()
}
