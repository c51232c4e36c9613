// Package model decodes ONNX files: the messages of onnx.proto that a model is made of, without generated types.
//
// Declarations of a file are never trusted: lengths are checked against the bytes that exist, messages nest only so deep, and elements are
// counted before memory is taken.
//
// Source: ONNX, onnx.proto3, and Protocol Buffers, Encoding.
package model

// Model is a ModelProto.
type Model struct {
	IR              int64
	Producer        string
	ProducerVersion string
	Opsets          map[string]int64 // by domain; that of ai.onnx is ""
	Graph           *Graph
	Functions       []*Function
	Metadata        map[string]string
}

// Graph is a GraphProto.
type Graph struct {
	Name         string
	Nodes        []*Node
	Initializers []*Tensor
	Sparse       []string // names of sparse initialisers
	Inputs       []*Value
	Outputs      []*Value
	Values       []*Value
}

// Function is a FunctionProto: a node of its name in its domain stands for its nodes.
type Function struct {
	Name, Domain, Overload string
	Inputs, Outputs        []string
	Attrs                  []string // that a call must give
	Defaults               []*Attr
	Nodes                  []*Node
	Opsets                 map[string]int64
}

// Node is a NodeProto.
type Node struct {
	Name, Op, Domain, Overload string
	Inputs, Outputs            []string
	Attrs                      []*Attr
}

// Attr is an AttributeProto. Which field counts is said by Type.
type Attr struct {
	Name    string
	Ref     string // name of the attribute of the function whose value this one has
	Type    AttrType
	Float   float32
	Int     int64
	String  []byte
	Tensor  *Tensor
	Graph   *Graph
	Floats  []float32
	Ints    []int64
	Strings [][]byte
	Tensors []*Tensor
	Graphs  []*Graph
}

// AttrType is AttributeProto.AttributeType.
type AttrType int32

// The kinds of attributes.
const (
	AttrUndefined AttrType = iota
	AttrFloat
	AttrInt
	AttrString
	AttrTensor
	AttrGraph
	AttrFloats
	AttrInts
	AttrStrings
	AttrTensors
	AttrGraphs
)

// Value is a ValueInfoProto: a name and its type, as far as that is known.
type Value struct {
	Name string
	Type DataType
	Kind string // "tensor", or another kind: "sequence", "map", "optional", "sparse tensor"; "" is unknown
	// Dims are the extents; nil where the rank is unknown, while a scalar has an empty list.
	Dims []Dim
}

// Dim is an extent: a number, or a name where Size is -1; an empty name is that of an unknown one.
type Dim struct {
	Size int64
	Name string
}

// Tensor is a TensorProto whose data lie in the file, or in another one.
type Tensor struct {
	Name     string
	Type     DataType
	Dims     []int64
	Raw      []byte
	HasRaw   bool
	Floats   []float32
	Int32s   []int32
	Int64s   []int64
	Doubles  []float64
	Uint64s  []uint64
	Strings  [][]byte
	External map[string]string // keys location, offset, length, checksum; nil: the data are here
}
