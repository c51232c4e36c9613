//go:build race

package ops

const RaceEnabled = true
