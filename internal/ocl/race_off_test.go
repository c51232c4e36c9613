//go:build !race

package ocl

const raceEnabled = false
