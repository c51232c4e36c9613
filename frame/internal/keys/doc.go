// Package keys turns columns into integers by which rows are grouped, joined and sorted.
//
// A column becomes one or two digits: codes from 0 to a cardinality, which are equal where values are, and for sorting also in their order.
// Integers lose their minimum, floats become integers of the same order, strings are interned. Digits of several columns make one number
// in mixed radix; where it needs more than 64 bits, the first digits are grouped by themselves, and
// the number of the group is a digit in their place. So grouping, joining and sorting are functions of one integer, whatever the
// columns are.
//
// Equal are NaN and NaN, 0 and -0, null and null. NaN is above all other numbers.
package keys
