//go:build !race

package opstest

// RaceEnabled reports whether the race detector looks on.
const RaceEnabled = false
