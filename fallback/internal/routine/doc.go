// Package routine runs the tasks of the CPU engine that branch on their data or go through it in order: sorts, distinct values, running
// sums, trees, suppression of boxes, decompositions.
package routine
