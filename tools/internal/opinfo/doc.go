// Package opinfo runs the cases of PyTorch's own database of ops, OpInfo, on package ops, and holds the table from the
// names of PyTorch to ours.
//
// A case is one call: a name, arguments, PyTorch's result, and for most the derivatives of its arguments. A [Row] of the
// table tells how a call of that name is written here, for any shapes and arguments that PyTorch takes: the same table is
// printed as documentation and runs the cases.
//
// Every case is built as a graph, many graphs are compiled as one, because a compiler of kernels takes its time, and their results are
// compared with PyTorch's. A case passes, is wrong, or is unsupported, with the reason.
package opinfo
