// Package arrow gives columns of package frame to Apache Arrow and takes them from it, and reads and writes files of Arrow's IPC format.
//
//	f, release, err := arrow.FromRecord(batch) // shares the batch's memory
//	...
//	defer release()
//	warm, err := f.Query().Filter(frame.Col("t").Gt(15)).Collect(ctx)
//	out, err := arrow.ToRecord(warm)
//
// Columns of package frame have Arrow's layout, so both directions share memory. What is copied: values whose address is no multiple of
// their width; bitmaps of a slice, where Arrow demands the same offset of all buffers; codes of dictionaries that are not int32, or whose
// dictionary has nulls or one string twice; string views; float16, decimals of 32 and 64 bits and date64, which become float32,
// decimal128 and date32; times of day, lists, structs, maps, unions and binary data are refused.
//
// # Lifetime
//
// Arrow counts references to its buffers, package frame leaves memory to the garbage collector. The functions that take something from
// Arrow hold a reference until release is called; then neither the frame may be used any more, nor a frame or tensor that shares its
// memory. With Arrow's default allocator, whose memory the garbage collector has as well, release may be left out. What is given to Arrow
// is collected as any other memory, and Release does nothing to it.
//
// Source: Apache Arrow, Columnar Format 1.5, and its sections on IPC.
package arrow
