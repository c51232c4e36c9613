// Package peers makes other libraries contenders of package tools/internal/bench.
//
//	openblas, clblast, onnxruntime   loaded into this process by purego
//	pytorch, numpy                   processes of Python, spoken to through pipes
//	limit-loop                       a loop in C that enqueues the same kernels
//
// ANYCL_TORCH_DEVICE=cuda measures PyTorch on a GPU.
//
// A library that is not installed is an error of its constructor, which names the files that were
// looked for; a run that asks for all of them measures without it.
package peers
