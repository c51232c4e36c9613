// Package routine plans algorithms that are more than folds: scans, sorts, joins, trees, unique items and
// the suppression of boxes.
package routine
