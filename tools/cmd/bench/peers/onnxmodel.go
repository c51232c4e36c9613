package peers

import (
	"encoding/binary"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/tools/internal/bench"
)

// message is a protocol buffer under construction. Source of the field numbers
// below: onnx.proto of ONNX 1.17.
type message struct{ b []byte }

func (m *message) bytes(field protowire.Number, v []byte) {
	m.b = protowire.AppendBytes(protowire.AppendTag(m.b, field, protowire.BytesType), v)
}

func (m *message) text(field protowire.Number, v string) { m.bytes(field, []byte(v)) }

func (m *message) number(field protowire.Number, v int64) {
	m.b = protowire.AppendVarint(protowire.AppendTag(m.b, field, protowire.VarintType), uint64(v))
}

func (m *message) float(field protowire.Number, v float64) {
	m.b = protowire.AppendFixed32(protowire.AppendTag(m.b, field, protowire.Fixed32Type), math.Float32bits(float32(v)))
}

// onnxTypes are the values of TensorProto.DataType.
var onnxTypes = map[tensor.DType]int64{
	tensor.Float32: 1, tensor.Uint8: 2, tensor.Int8: 3, tensor.Int32: 6, tensor.Int64: 7, tensor.Bool: 9,
	tensor.Float16: 10, tensor.Float64: 11, tensor.BFloat16: 16,
}

// Values of AttributeProto.AttributeType.
const (
	attrFloat = 1
	attrInt   = 2
	attrInts  = 7
)

// model translates a program into an ONNX model.
type model struct {
	p     *bench.Program
	graph message
	extra int
}

func valueName(r bench.Ref) string { return fmt.Sprintf("v%d", r) }

// onnxModel returns the model as bytes, and which leaves are its inputs; weights
// become constants in it.
func onnxModel(w *bench.Work, operands []*tensor.Tensor) (data []byte, inputs []int, err error) {
	p := w.Program
	if len(p.Wrt) > 0 || p.Train {
		return nil, nil, fmt.Errorf("%w: onnxruntime does not differentiate", bench.ErrCannot)
	}
	m := &model{p: p}
	for i, r := range p.Leaves() {
		n := &p.Nodes[r]
		if onnxTypes[n.DType] == 0 {
			return nil, nil, fmt.Errorf("%w: no %v", bench.ErrCannot, n.DType)
		}
		if n.Role == bench.Weight {
			if err := m.constant(valueName(r), operands[i]); err != nil {
				return nil, nil, err
			}
			continue
		}
		m.graph.bytes(11, valueInfo(valueName(r), n.DType, n.Dims))
		inputs = append(inputs, i)
	}
	for i := range p.Nodes {
		if p.Nodes[i].Op == "leaf" {
			continue
		}
		if err := m.step(bench.Ref(i), &p.Nodes[i]); err != nil {
			return nil, nil, err
		}
	}
	for _, r := range p.Outputs {
		var info message // the type is inferred
		info.text(1, valueName(r))
		m.graph.bytes(12, info.b)
	}
	m.graph.text(2, "bench")
	var opset, top message
	opset.text(1, "")
	opset.number(2, 20)
	top.number(1, 9)
	top.bytes(7, m.graph.b)
	top.bytes(8, opset.b)
	return top.b, inputs, nil
}

func valueInfo(name string, dt tensor.DType, dims []int) []byte {
	var shape, tensorType, typ, info message
	for _, d := range dims {
		var dim message
		dim.number(1, int64(d))
		shape.bytes(1, dim.b)
	}
	tensorType.number(1, onnxTypes[dt])
	tensorType.bytes(2, shape.b)
	typ.bytes(1, tensorType.b)
	info.text(1, name)
	info.bytes(2, typ.b)
	return info.b
}

// constant adds an initializer.
func (m *model) constant(name string, t *tensor.Tensor) error {
	raw, ok := t.Bytes()
	if !ok {
		return fmt.Errorf("peers: the constant %s is not contiguous", name)
	}
	m.raw(name, t.DType(), t.Shape(), raw)
	return nil
}

func (m *model) raw(name string, dt tensor.DType, dims []int, raw []byte) {
	var c message
	for _, d := range dims {
		c.number(1, int64(d))
	}
	c.number(2, onnxTypes[dt])
	c.text(8, name)
	c.bytes(9, raw)
	m.graph.bytes(5, c.b)
}

// ints adds a constant vector of int64.
func (m *model) ints(v ...int) string {
	var raw []byte
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(int64(x)))
	}
	name := m.fresh()
	m.raw(name, tensor.Int64, []int{len(v)}, raw)
	return name
}

// scalar adds a constant float32.
func (m *model) scalar(v float64) string {
	name := m.fresh()
	m.raw(name, tensor.Float32, nil, binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(v))))
	return name
}

func (m *model) fresh() string {
	m.extra++
	return fmt.Sprintf("c%d", m.extra)
}

// attribute is one of a node: a float, an int or a list of ints.
type attribute struct {
	name  string
	value any
}

func (m *model) node(op, out string, in []string, attrs ...attribute) {
	var n message
	for _, x := range in {
		n.text(1, x)
	}
	n.text(2, out)
	n.text(4, op)
	for _, a := range attrs {
		var b message
		b.text(1, a.name)
		switch v := a.value.(type) {
		case float64:
			b.float(2, v)
			b.number(20, attrFloat)
		case int:
			b.number(3, int64(v))
			b.number(20, attrInt)
		case []int:
			for _, x := range v {
				b.number(8, int64(x))
			}
			b.number(20, attrInts)
		}
		n.bytes(5, b.b)
	}
	m.graph.bytes(1, n.b)
}
