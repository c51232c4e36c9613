//go:build !linux

package platform

// adviseHugePages does nothing: these systems decide by themselves.
func adviseHugePages([]byte) error { return nil }
