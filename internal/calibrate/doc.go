// Package calibrate measures the rates that predictions rest on: a device while its runtime is left alone, and
// single ops on every engine.
package calibrate
