//go:build !race

package ops

const RaceEnabled = false
