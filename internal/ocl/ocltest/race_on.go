//go:build race

package ocltest

// RaceEnabled tells tests that the race detector is on: it allocates, and compilers take minutes under it.
const RaceEnabled = true
