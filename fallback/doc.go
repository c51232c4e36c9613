// Package fallback is the CPU path: an [engine.Engine] over host memory, in Go,
// with gonum's BLAS for matrix products, or assembly for products in float32 where there is some.
//
// # How a task runs
//
// Prepare compiles every expression of a task to a flat list of steps over
// registers. A register holds a block of a few thousand values, few enough for
// all registers of a program to stay in cache, so a fused chain reads and
// writes memory once. A load knows its address pattern: contiguous values are
// used where they lie, strided and padded ones are copied run by run, and only
// addresses with divisions, remainders or gathers along the inner axis are
// computed value by value.
//
// A product C = A·Bᵀ takes A and B where they lie when their rows are whole
// there, and else computes panels of them, a tile at a time, so that the
// windows of a convolution are never all in memory. A transposition goes by
// strips of cache lines.
//
// Workers take fixed pieces of the task's domain. The pieces depend
// on the task alone, never on the number of workers, so that results repeat
// bit by bit on any machine of one kind.
//
// # Numbers
//
// Values of float16 and bfloat16 are float32 between load and store. Sums of
// floats are pairwise or blocked. Integers wrap.
//
// # Environment
//
// The engine reads no environment variable and needs no OpenCL.
package fallback
