// Package export writes graphs of package ops as ONNX graphs.
//
// An op that has a counterpart becomes that operator, by a rule of the table; another is written as the ops that it is composed of, down to
// ops that have rules. Ops that have neither are refused, all of them at once.
//
// Types that an operator does not take are cast to a wider one before it and back behind it, so that files are valid by the
// specification, whatever a runtime takes.
//
// Source: ONNX, Operator Schemas; Open Neural Network Exchange Intermediate Representation Specification.
package export
