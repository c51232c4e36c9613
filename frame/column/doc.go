// Package column holds the columns of a data frame in host memory, in the layout of Apache Arrow.
//
// A [Column] has a [Type], a length, a validity bitmap that says which values are null, and buffers:
//
//	bool                              one bit a value, least significant bit first
//	integers, floats                  the values, in the byte order of the host
//	date32                            int32: days since 1970-01-01
//	timestamp, duration               int64: units since 1970-01-01 00:00:00 UTC, or of length
//	decimal128                        two's complement of 128 bits, low word first
//	utf8, large_utf8                  n+1 offsets of 32 or 64 bits, and bytes
//	dictionary                        int32 codes, and a column of distinct strings
//
// A bitmap that is absent means that nothing is null. A buffer's content at a null value has no meaning.
//
// # One piece
//
// A column is one piece of memory and not a list of chunks, as Arrow's chunked arrays are. So position i is an address,
// a column is a tensor without a copy, and a loop over it has no inner loop over chunks. A program that
// reads a file in pieces hands over a column for each, and [Concat] joins them; one that computes in pieces cuts a
// column with [Column.Slice], which copies nothing.
//
// # Sharing
//
// A Column never changes after it is made, so goroutines may share it. The functions that take Go slices or buffers
// keep them: nobody may write to them afterwards. The slices that [Values] and other accessors return are the column's own memory, to be
// read only.
//
// Source: Apache Arrow, Columnar Format 1.5.
package column
