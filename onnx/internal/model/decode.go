package model

import (
	"errors"
	"fmt"
)

// Decode decodes a ModelProto. The result keeps nothing of b.
func Decode(b []byte) (*Model, error) {
	m := &message{b: b, d: &decoder{}}
	x := &Model{Opsets: map[string]int64{}}
	err := m.fields("model", func(f field) (err error) {
		switch f.num {
		case 1:
			return f.int(&x.IR)
		case 2:
			return f.text(&x.Producer)
		case 3:
			return f.text(&x.ProducerVersion)
		case 7:
			var g []*Graph
			if err := messages(f, &g, decodeGraph); err != nil {
				return err
			}
			if x.Graph != nil {
				return errors.New("there are two graphs")
			}
			x.Graph = g[0]
			return nil
		case 8:
			return opset(f, x.Opsets)
		case 14:
			if x.Metadata == nil {
				x.Metadata = map[string]string{}
			}
			return entry(f, x.Metadata)
		case 25:
			return messages(f, &x.Functions, decodeFunction)
		}
		return nil
	})
	if err == nil && x.Graph == nil {
		err = errors.New("model: there is no graph")
	}
	return x, err
}

// DecodeTensor decodes a file that holds a TensorProto alone, as those of the test data of ONNX.
func DecodeTensor(b []byte) (*Tensor, error) { return decodeTensor(&message{b: b, d: &decoder{}}) }

func opset(f field, to map[string]int64) error {
	m, err := f.sub()
	if err != nil {
		return err
	}
	var domain string
	var version int64
	err = m.fields("opset_import", func(f field) error {
		switch f.num {
		case 1:
			return f.text(&domain)
		case 2:
			return f.int(&version)
		}
		return nil
	})
	to[domainName(domain)] = version
	return err
}

// domainName is a domain as it is written here: that of ai.onnx is "".
func domainName(d string) string {
	if d == "ai.onnx" {
		return ""
	}
	return d
}

// entry reads a StringStringEntryProto.
func entry(f field, to map[string]string) error {
	m, err := f.sub()
	if err != nil {
		return err
	}
	var k, v string
	err = m.fields("entry", func(f field) error {
		switch f.num {
		case 1:
			return f.text(&k)
		case 2:
			return f.text(&v)
		}
		return nil
	})
	to[k] = v
	return err
}

func decodeGraph(m *message) (*Graph, error) {
	g := &Graph{}
	return g, m.fields("graph", func(f field) error {
		switch f.num {
		case 1:
			return messages(f, &g.Nodes, decodeNode)
		case 2:
			return f.text(&g.Name)
		case 5:
			return messages(f, &g.Initializers, decodeTensor)
		case 11:
			return messages(f, &g.Inputs, decodeValue)
		case 12:
			return messages(f, &g.Outputs, decodeValue)
		case 13:
			return messages(f, &g.Values, decodeValue)
		case 15:
			return messages(f, &g.Sparse, func(m *message) (name string, err error) {
				return name, m.fields("sparse_initializer", func(f field) error {
					if f.num != 1 {
						return nil
					}
					sub, err := f.sub()
					if err != nil {
						return err
					}
					t, err := decodeTensor(sub)
					name = t.Name
					return err
				})
			})
		}
		return nil
	})
}

func decodeFunction(m *message) (*Function, error) {
	x := &Function{Opsets: map[string]int64{}}
	err := m.fields("function", func(f field) error {
		switch f.num {
		case 1:
			return f.text(&x.Name)
		case 4:
			return f.texts(&x.Inputs)
		case 5:
			return f.texts(&x.Outputs)
		case 6:
			return f.texts(&x.Attrs)
		case 7:
			return messages(f, &x.Nodes, decodeNode)
		case 9:
			return opset(f, x.Opsets)
		case 10:
			return f.text(&x.Domain)
		case 11:
			return messages(f, &x.Defaults, decodeAttr)
		case 13:
			return f.text(&x.Overload)
		}
		return nil
	})
	x.Domain = domainName(x.Domain)
	return x, err
}

func decodeNode(m *message) (*Node, error) {
	n := &Node{}
	err := m.fields("node", func(f field) error {
		switch f.num {
		case 1:
			return f.texts(&n.Inputs)
		case 2:
			return f.texts(&n.Outputs)
		case 3:
			return f.text(&n.Name)
		case 4:
			return f.text(&n.Op)
		case 5:
			return messages(f, &n.Attrs, decodeAttr)
		case 7:
			return f.text(&n.Domain)
		case 8:
			return f.text(&n.Overload)
		}
		return nil
	})
	n.Domain = domainName(n.Domain)
	if err != nil {
		err = fmt.Errorf("%s %q: %w", n.Op, n.Name, err)
	}
	return n, err
}

// one reads a field that holds a single message.
func one[T any](f field, to *T, decode func(*message) (T, error)) error {
	m, err := f.sub()
	if err != nil {
		return err
	}
	*to, err = decode(m)
	return err
}

func decodeAttr(m *message) (*Attr, error) {
	a := &Attr{}
	err := m.fields("attribute", func(f field) error {
		switch f.num {
		case 1:
			return f.text(&a.Name)
		case 2:
			return f.float(&a.Float)
		case 3:
			return f.int(&a.Int)
		case 4:
			return f.bytes(&a.String)
		case 5:
			return one(f, &a.Tensor, decodeTensor)
		case 6:
			return one(f, &a.Graph, decodeGraph)
		case 7:
			return fixed32(f, &a.Floats)
		case 8:
			return varints(f, &a.Ints)
		case 9:
			return f.blobs(&a.Strings)
		case 10:
			return messages(f, &a.Tensors, decodeTensor)
		case 11:
			return messages(f, &a.Graphs, decodeGraph)
		case 20:
			var t int64
			err := f.int(&t)
			a.Type = AttrType(t)
			return err
		case 21:
			return f.text(&a.Ref)
		}
		return nil
	})
	if err != nil {
		return a, fmt.Errorf("%q: %w", a.Name, err)
	}
	switch { // files of early versions do not say which field counts
	case a.Type != AttrUndefined || a.Ref != "":
	case a.Tensor != nil:
		a.Type = AttrTensor
	case a.Graph != nil:
		a.Type = AttrGraph
	case a.Floats != nil:
		a.Type = AttrFloats
	case a.Ints != nil:
		a.Type = AttrInts
	case a.Strings != nil:
		a.Type = AttrStrings
	case a.String != nil:
		a.Type = AttrString
	case a.Float != 0:
		a.Type = AttrFloat
	default:
		a.Type = AttrInt
	}
	if a.Type == AttrTensor && a.Tensor == nil || a.Type == AttrGraph && a.Graph == nil {
		return a, fmt.Errorf("attribute %q has no value", a.Name)
	}
	return a, nil
}
