// Package calibrate measures what predictions rest on: a device while its runtime is left alone, and single ops
// on every engine.
package calibrate
