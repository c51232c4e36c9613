//go:build !cgocl

package cldriver

import "errors"

// LinkedNames is empty: this build has no linked driver.
func LinkedNames() []string { return nil }

// LoadLinked always fails in this build.
func LoadLinked(string) (Driver, error) {
	return nil, errors.New(Linked + ": this build has no linked driver (tag cgocl)")
}
