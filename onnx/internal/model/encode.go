package model

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
)

// Encode encodes m as a ModelProto, which Decode reads as m.
func Encode(m *Model) []byte {
	var b buffer
	b.int(1, m.IR)
	b.text(2, m.Producer)
	b.text(3, m.ProducerVersion)
	if m.Graph != nil {
		b.message(7, func(b *buffer) { b.graph(m.Graph) })
	}
	b.opsets(8, m.Opsets)
	b.entries(14, m.Metadata)
	for _, f := range m.Functions {
		b.message(25, func(b *buffer) { b.function(f) })
	}
	return b
}

// EncodeTensor encodes t as a file that holds a TensorProto alone.
func EncodeTensor(t *Tensor) []byte {
	var b buffer
	b.tensor(t)
	return b
}

// EncodeAttr encodes a as an AttributeProto, the same for equal attributes.
func EncodeAttr(a *Attr) []byte {
	var b buffer
	b.attr(a)
	return b
}

type buffer []byte

func (b *buffer) tag(num, wire int) { *b = binary.AppendUvarint(*b, uint64(num)<<3|uint64(wire)) }

func (b *buffer) int(num int, v int64) {
	if v != 0 {
		b.tag(num, 0)
		*b = binary.AppendUvarint(*b, uint64(v))
	}
}

func (b *buffer) bytes(num int, v []byte) {
	b.tag(num, 2)
	*b = append(binary.AppendUvarint(*b, uint64(len(v))), v...)
}

func (b *buffer) text(num int, v string) {
	if v != "" {
		b.bytes(num, []byte(v))
	}
}

func (b *buffer) texts(num int, all []string) {
	for _, v := range all {
		b.bytes(num, []byte(v))
	}
}

func (b *buffer) message(num int, f func(b *buffer)) {
	var inner buffer
	f(&inner)
	b.bytes(num, inner)
}

func (b *buffer) float(num int, v float32) {
	b.tag(num, 5)
	*b = binary.LittleEndian.AppendUint32(*b, math.Float32bits(v))
}

// packed writes a list of varints.
func packed[T int32 | int64 | uint64](b *buffer, num int, all []T) {
	if len(all) == 0 {
		return
	}
	var inner buffer
	for _, v := range all {
		inner = binary.AppendUvarint(inner, uint64(int64(v)))
	}
	b.bytes(num, inner)
}

func (b *buffer) floats(num int, all []float32) {
	var inner buffer
	for _, v := range all {
		inner = binary.LittleEndian.AppendUint32(inner, math.Float32bits(v))
	}
	if len(inner) > 0 {
		b.bytes(num, inner)
	}
}

func (b *buffer) opsets(num int, sets map[string]int64) {
	for _, domain := range slices.Sorted(maps.Keys(sets)) {
		b.message(num, func(b *buffer) {
			b.text(1, domain)
			b.int(2, sets[domain])
		})
	}
}

func (b *buffer) entries(num int, all map[string]string) {
	for _, k := range slices.Sorted(maps.Keys(all)) {
		b.message(num, func(b *buffer) {
			b.text(1, k)
			b.text(2, all[k])
		})
	}
}

func (b *buffer) graph(g *Graph) {
	for _, n := range g.Nodes {
		b.message(1, func(b *buffer) { b.node(n) })
	}
	b.text(2, g.Name)
	for _, t := range g.Initializers {
		b.message(5, func(b *buffer) { b.tensor(t) })
	}
	for _, name := range g.Sparse {
		b.message(15, func(b *buffer) { b.message(1, func(b *buffer) { b.text(8, name) }) })
	}
	for i, values := range [][]*Value{g.Inputs, g.Outputs, g.Values} {
		for _, v := range values {
			b.message(11+i, func(b *buffer) { b.value(v) })
		}
	}
}

func (b *buffer) function(f *Function) {
	b.text(1, f.Name)
	b.texts(4, f.Inputs)
	b.texts(5, f.Outputs)
	b.texts(6, f.Attrs)
	for _, n := range f.Nodes {
		b.message(7, func(b *buffer) { b.node(n) })
	}
	b.opsets(9, f.Opsets)
	b.text(10, f.Domain)
	for _, a := range f.Defaults {
		b.message(11, func(b *buffer) { b.attr(a) })
	}
	b.text(13, f.Overload)
}

func (b *buffer) node(n *Node) {
	b.texts(1, n.Inputs)
	b.texts(2, n.Outputs)
	b.text(3, n.Name)
	b.text(4, n.Op)
	for _, a := range n.Attrs {
		b.message(5, func(b *buffer) { b.attr(a) })
	}
	b.text(7, n.Domain)
	b.text(8, n.Overload)
}

func (b *buffer) attr(a *Attr) {
	b.text(1, a.Name)
	b.text(21, a.Ref)
	b.int(20, int64(a.Type))
	switch a.Type {
	case AttrFloat:
		b.float(2, a.Float)
	case AttrInt:
		b.int(3, a.Int)
	case AttrString:
		b.bytes(4, a.String)
	}
	if a.Tensor != nil {
		b.message(5, func(b *buffer) { b.tensor(a.Tensor) })
	}
	if a.Graph != nil {
		b.message(6, func(b *buffer) { b.graph(a.Graph) })
	}
	b.floats(7, a.Floats)
	packed(b, 8, a.Ints)
	for _, s := range a.Strings {
		b.bytes(9, s)
	}
	for _, t := range a.Tensors {
		b.message(10, func(b *buffer) { b.tensor(t) })
	}
	for _, g := range a.Graphs {
		b.message(11, func(b *buffer) { b.graph(g) })
	}
}
