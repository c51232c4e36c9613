// Package onnxsuite runs the backend tests of the ONNX project on package onnx: models with inputs and the outputs that
// they must give.
//
// A case passes, is wrong, or is unsupported, with the reason: models that package onnx refuses to load or compile. A result is
// right within 1e-3 relative and 1e-5 absolute, 1e-4 absolute for Fourier transforms, and 1e-2 both for 16-bit floats.
package onnxsuite
