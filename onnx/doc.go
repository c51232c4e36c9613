// Package onnx loads trained models from ONNX files and runs them: on any OpenCL device, or the CPU engine.
//
//	m, err := onnx.Load("model.onnx")
//	p, err := m.Compile(ctx, rt, nil)                                  // rt is an ops.Runtime
//	out, err := p.Run(ctx, map[string]*tensor.Tensor{"x": image})      // outputs by name
//
// A model becomes an ordinary graph of package ops, which is simplified, fused, placed and planned as every graph. [Model.Graph]
// gives that graph itself, with the weights as variables if asked for: losses, gradients and optimisers of package ops
// and optim work on it.
//
// # Shapes
//
// A graph is built for shapes in numbers: those of the model, and where it leaves them open those of the inputs of a run. A
// [Program] keeps a plan for each combination of shapes that it has met, up to a bound. Values that are known then
// are computed when the graph is built, on the host: the chains of Shape, Gather, Concat and so on by which exporters calculate shapes
// leave nothing to do at run.
//
// Where a size depends on the contents of an input, as the shape that Reshape is given, these contents are known at run only, and are
// a part of the key of a plan; they may have 64 KiB. Branches and loops on data become branches and loops of the graph; if their
// shapes change on the way, they are taken by the contents of inputs too. Results whose size is found by the computation, as those of
// NonZero, have room for all and are cut to size when a run ends; a node that reads one makes its plan depend on contents.
//
// # What is supported
//
// Operators of ai.onnx from version 7 on, most also of older versions; [Operators] lists them. Features that a model needs
// and this package lacks are one error of [Load] that names all of them, with nodes. Results are those of the specification, or an error:
// no attribute and no input is passed over that is not known to change nothing.
//
// The element types are those of package tensor. Floats of 8 bits and fewer and integers of 4 bits and fewer are carried by float32, int8
// or uint8, where they are cast, quantised, dequantised or moved. Strings, complex numbers, sequences, maps and optional values are
// refused, but for the maps that converters of scikit-learn end classifiers with (ZipMap): that output is a tensor, with a row for each
// map, in the order of the labels. Random numbers differ from the numbers of other programs, whatever the seed.
//
// # Writing
//
// [Save] writes a graph of package ops as a model, with variables as initialisers: one that was trained here, or built of a model that
// was read. An op becomes the operator that does the same, or the operators of its composition; kernels of the program's own, random
// numbers and functions without a counterpart are refused, all in one error. [Model.Save] writes a model again with other weights.
//
// # Files
//
// Files are decoded without generated types, and may be hostile: lengths, nesting and counts are bounded, data in other files are
// read from the folder of the model alone, and a declared shape takes memory only where there are data for it.
//
// Source: ONNX, Open Neural Network Exchange Intermediate Representation Specification, and Operator Schemas.
package onnx
