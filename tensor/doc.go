// Package tensor holds arrays in host memory: a dtype, a shape, strides and bytes.
//
// A [Tensor] is a header over storage. Views (transpose, slice, flip, broadcast and, where the
// strides allow it, reshape) make a new header and copy no data, so writing through one is seen
// through all. Type parameters appear only at the edges ([FromSlice], [ToSlice], [Scalar]);
// inside, the dtype is a value.
//
// Elements lie in the byte order of the host. Storage that this package allocates starts at a
// multiple of [Alignment] bytes, so that a device which shares memory with the host can use it
// without a copy.
//
// A Tensor's header never changes after it is made; reading from several goroutines is safe,
// writing to elements needs the same care as writing to a slice. A *Tensor comes from this
// package's functions: the zero Tensor has no dtype and holds nothing.
//
// Mistakes are error values. What panics says so: [Must], [MustSlice], and the unchecked element accessors
// [Tensor.Float64At] and [Tensor.SetFloat64], which treat an index out of range as a slice does.
package tensor
