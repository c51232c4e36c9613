// Package importer builds a graph of package ops from a decoded ONNX model, for shapes that are known.
//
// A [Source] is the model with its weights. [Source.Build] goes through its nodes in order: find gives the operator that the table has
// for the node's name and version, and the operator's function makes nodes of ops from the operands of a call. Values that can be known
// before the graph runs are computed on the way, since exporters calculate shapes by chains of nodes. Operators are defined in files by
// family, op_*.go; a new one is a row there.
package importer
