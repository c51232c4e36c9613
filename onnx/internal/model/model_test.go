package model

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/tensor"
)

// sample has everything that a file can have.
func sample() *Model {
	weight := &Tensor{Name: "w", Type: Float32, Dims: []int64{2}, HasRaw: true, Raw: []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}} // 1, -2
	inner := &Graph{Name: "inner", Nodes: []*Node{{Op: "Relu", Inputs: []string{"x"}, Outputs: []string{"z"}}},
		Outputs: []*Value{{Name: "z", Kind: "tensor", Type: Float32}}}
	return &Model{
		IR: 8, Producer: "anycl", ProducerVersion: "1", Opsets: map[string]int64{"": 18, "my": 1}, Metadata: map[string]string{"a": "b"},
		Graph: &Graph{
			Name: "main", Initializers: []*Tensor{weight},
			Inputs:  []*Value{{Name: "x", Kind: "tensor", Type: Float32, Dims: []Dim{{Size: -1, Name: "n"}, {Size: 2}}}, {Name: "s", Kind: "sequence"}},
			Outputs: []*Value{{Name: "y", Kind: "tensor", Type: Float32, Dims: []Dim{}}},
			Nodes: []*Node{{
				Name: "if", Op: "If", Inputs: []string{"c"}, Outputs: []string{"y"}, Domain: "my",
				Attrs: []*Attr{
					{Name: "g", Type: AttrGraph, Graph: inner}, {Name: "f", Type: AttrFloat, Float: 0.5}, {Name: "i", Type: AttrInt, Int: -3},
					{Name: "s", Type: AttrString, String: []byte("text")}, {Name: "t", Type: AttrTensor, Tensor: weight},
					{Name: "fs", Type: AttrFloats, Floats: []float32{1, 2}}, {Name: "is", Type: AttrInts, Ints: []int64{1, -1}},
					{Name: "ss", Type: AttrStrings, Strings: [][]byte{[]byte("a")}}, {Name: "r", Ref: "outer", Type: AttrInt},
				},
			}},
		},
		Functions: []*Function{{Name: "f", Domain: "my", Inputs: []string{"a"}, Outputs: []string{"b"}, Attrs: []string{"k"},
			Defaults: []*Attr{{Name: "d", Type: AttrInt, Int: 1}}, Nodes: []*Node{{Op: "Neg", Inputs: []string{"a"}, Outputs: []string{"b"}}},
			Opsets: map[string]int64{"": 18}}},
	}
}

func TestDecodeReadsWhatEncodeWrites(t *testing.T) {
	t.Parallel()
	want := sample()
	got, err := Decode(Encode(want))
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestEveryCutOfAFileIsAnErrorOrAModel(t *testing.T) {
	t.Parallel()
	b := Encode(sample())
	for n := range len(b) {
		if _, err := Decode(b[:n]); err == nil {
			continue // a cut between the fields of the model
		}
	}
	_, err := Decode(b[:len(b)-1])
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

func TestNestedMessagesAreBounded(t *testing.T) {
	t.Parallel()
	g := &Graph{Name: "deepest"}
	for range 100 {
		g = &Graph{Nodes: []*Node{{Op: "If", Attrs: []*Attr{{Name: "then_branch", Type: AttrGraph, Graph: g}}}}}
	}
	_, err := Decode(Encode(&Model{Graph: g}))
	require.ErrorContains(t, err, "nested more than 32 deep")
}

func TestManyMessagesAreBounded(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("decodes millions of messages")
	}
	graph := bytes.Repeat([]byte{1<<3 | 2, 0}, maxMessages+1) // empty nodes
	var b buffer
	b.bytes(7, graph)
	_, err := Decode(b)
	require.ErrorContains(t, err, "messages")
}

func TestTensorsHoldAsManyBytesAsTheirShapesSay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		t    Tensor
		text string
	}{
		"raw":       {Tensor{Type: Float32, Dims: []int64{2}, HasRaw: true, Raw: make([]byte, 7)}, "takes 8 bytes, and 7 are given"},
		"list":      {Tensor{Type: Float32, Dims: []int64{3}, Floats: []float32{1}}, "has 3 elements, and 1 are given"},
		"gigantic":  {Tensor{Type: Float32, Dims: []int64{1 << 40, 1 << 40}, HasRaw: true}, ""},
		"negative":  {Tensor{Type: Float32, Dims: []int64{-1}, HasRaw: true}, "extent -1"},
		"string":    {Tensor{Type: String, Dims: []int64{1}, Strings: [][]byte{[]byte("a")}}, "string"},
		"bool of 2": {Tensor{Type: Bool, Dims: []int64{1}, HasRaw: true, Raw: []byte{2}}, "element 0 of bool is 2"},
		"external":  {Tensor{Type: Float32, Dims: []int64{1}, External: map[string]string{"location": "w.bin"}}, "its data are in the file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := c.t.Tensor(nil)
			require.ErrorContains(t, err, c.text)
		})
	}
}

// A list of floats may come in one piece, which is kept as raw data, in several, or as single floats.
func TestFloatsComeInLists(t *testing.T) {
	t.Parallel()
	head := "\x08\x03\x10\x01" // 3 float32
	const zero, one, two = "\x00\x00\x00\x00", "\x00\x00\x80\x3f", "\x00\x00\x00\x40"
	for wire, raw := range map[string]bool{
		head + "\x22\x0c" + zero + one + two:               true,
		"\x08\x03\x22\x0c" + zero + one + two + "\x10\x01": true,
		head + "\x22\x04" + zero + "\x22\x08" + one + two:  false,
		head + "\x22\x08" + zero + one + "\x25" + two:      false,
		head + "\x25" + zero + "\x25" + one + "\x25" + two: false,
		head + "\x25" + zero + "\x22\x08" + one + two:      false,
		head + "\x22\x00\x22\x0c" + zero + one + two:       false,
	} {
		x, err := decodeTensor(&message{b: []byte(wire), d: &decoder{}})
		require.NoError(t, err, "%q", wire)
		require.Equal(t, raw, x.HasRaw, "%q", wire)
		got, err := x.Tensor(nil)
		require.NoError(t, err, "%q", wire)
		for i := range 3 {
			require.Equal(t, float64(i), got.Float64At(i), "%q", wire)
		}
	}
	for _, wire := range []string{head + "\x22\x05" + zero + "\x00", head + "\x22\x05" + zero + "\x00\x22\x04" + one, head + "\x20\x01"} {
		_, err := decodeTensor(&message{b: []byte(wire), d: &decoder{}})
		require.ErrorContains(t, err, "field 4 is no list of float32", "%q", wire)
	}
}

func TestTypedFieldsOfAllDTypes(t *testing.T) {
	t.Parallel()
	for _, dt := range tensor.DTypes() {
		x := &Tensor{Type: TypeOf(dt), Dims: []int64{2}, Floats: nil}
		switch dt {
		case tensor.Float32:
			x.Floats = []float32{0, 1}
		case tensor.Float64:
			x.Doubles = []float64{0, 1}
		case tensor.Int64:
			x.Int64s = []int64{0, 1}
		case tensor.Uint32, tensor.Uint64:
			x.Uint64s = []uint64{0, 1}
		case tensor.Float16:
			x.Int32s = []int32{0, 0x3c00}
		case tensor.BFloat16:
			x.Int32s = []int32{0, 0x3f80}
		default:
			x.Int32s = []int32{0, 1}
		}
		got, err := x.Tensor(nil)
		require.NoError(t, err, dt)
		require.Equal(t, dt, got.DType())
		require.Equal(t, 1.0, got.Float64At(1), dt)
		again, err := FromTensor("x", got)
		require.NoError(t, err)
		back, err := again.Tensor(nil)
		require.NoError(t, err)
		require.True(t, tensor.Equal(got, back))
	}
}

// FuzzDecode holds that no bytes make Decode panic, and that a model that it reads is read again when written.
func FuzzDecode(f *testing.F) {
	b := Encode(sample())
	f.Add(b)
	f.Add(b[:len(b)/2])
	f.Add([]byte{})
	f.Add([]byte{7<<3 | 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Add([]byte(strings.Repeat("\x3a\x02\x0a\x00", 8)))
	f.Add([]byte{7 << 3, 0}) // a graph that is a number
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Decode(b)
		if err != nil {
			return
		}
		for _, x := range m.Graph.Initializers {
			if v, err := x.Tensor(nil); err == nil && v.NumBytes() > 16*len(b) {
				t.Fatalf("a tensor of %d bytes in a file of %d", v.NumBytes(), len(b))
			}
		}
		once := Encode(m)
		again, err := Decode(once)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(once, Encode(again)) {
			t.Fatal("written twice it differs")
		}
	})
}
