// Package safetensors reads and writes tensors by name in the safetensors format, in which
// the PyTorch ecosystem publishes weights.
//
// A file is 8 bytes with the length n of the header, little-endian; n bytes of JSON; and the data of all tensors,
// little-endian and in row-major order:
//
//	{"__metadata__": {"format": "pt"},
//	 "fc.weight": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}
//
// Offsets count from the first byte after the header. The data lie one after the other: there are no holes and no
// overlaps, and the file ends with them. A file that is otherwise, or that says a name twice, is an error, which names the
// tensor and the place. The dtypes are
//
//	F64 F32 F16 BF16   float64 float32 float16 bfloat16
//	I64 I32 I16 I8     int64 int32 int16 int8
//	U64 U32 U16 U8     uint64 uint32 uint16 uint8
//	C64                complex64
//	BOOL               bool, a byte each
//
// A file may also hold floats of 8 bits and fewer (F8_E4M3, F8_E5M2, F8_E8M0 and others), which package tensor does not
// have: asking for one is an error that is [ErrDType], and the others can be read. The format has no complex128.
//
// [Open] reads the header alone and each tensor when it is asked for; [Load] reads all. [OpenIndex] does the same for
// a model that is spread over several files. [Save] and [SaveSharded] replace files as a whole or not at all.
//
// Source: Hugging Face, safetensors, format and README; its limit for a header is 100 MB.
package safetensors
