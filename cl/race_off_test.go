//go:build !race

package cl_test

const raceEnabled = false
