//go:build !linux

package ram

// PreferLargePages does nothing: these systems decide by themselves.
func PreferLargePages([]byte) error { return nil }
