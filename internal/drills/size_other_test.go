//go:build !linux

package drills

func resident() int64  { return 0 }
func descriptors() int { return 0 }
func threads() int     { return 0 }
