package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/tensor"
)

// file puts a file together as the description of the format says, with nothing of this package.
func file(header string, data ...byte) []byte {
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), append([]byte(header), data...)...)
}

func open(t *testing.T, b []byte) *File {
	t.Helper()
	f, err := NewFile(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	return f
}

func TestEveryDTypeIsReadFromBytes(t *testing.T) {
	for _, c := range []struct {
		dtype string
		bytes []byte
		want  *tensor.Tensor
	}{
		{"F64", []byte{0, 0, 0, 0, 0, 0, 0xf8, 0xbf}, tensor.Must(tensor.FromSlice([]float64{-1.5}))},
		{"F32", []byte{0, 0, 0x20, 0x40, 0, 0, 0x80, 0x7f}, tensor.Must(tensor.FromSlice([]float32{2.5, float32(math.Inf(1))}))},
		{"F16", []byte{0x00, 0x3c, 0x00, 0xc0}, tensor.Must(tensor.FromSlice([]tensor.Half{tensor.HalfFrom(1), tensor.HalfFrom(-2)}))},
		{"BF16", []byte{0x80, 0x3f, 0x00, 0xc0}, tensor.Must(tensor.FromSlice([]tensor.BF16{tensor.BF16From(1), tensor.BF16From(-2)}))},
		{"I64", []byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, tensor.Must(tensor.FromSlice([]int64{-2}))},
		{"I32", []byte{1, 2, 0, 0x80}, tensor.Must(tensor.FromSlice([]int32{math.MinInt32 + 513}))},
		{"I16", []byte{0xff, 0xff, 1, 2}, tensor.Must(tensor.FromSlice([]int16{-1, 513}))},
		{"I8", []byte{0x80, 0x7f}, tensor.Must(tensor.FromSlice([]int8{-128, 127}))},
		{"U64", []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, tensor.Must(tensor.FromSlice([]uint64{math.MaxUint64}))},
		{"U32", []byte{1, 2, 3, 4}, tensor.Must(tensor.FromSlice([]uint32{0x04030201}))},
		{"U16", []byte{1, 2}, tensor.Must(tensor.FromSlice([]uint16{0x0201}))},
		{"U8", []byte{200, 0, 3}, tensor.Must(tensor.FromSlice([]uint8{200, 0, 3}))},
		{"C64", []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}, tensor.Must(tensor.FromSlice([]complex64{1 - 2i}))},
		{"BOOL", []byte{1, 0, 7}, tensor.Must(tensor.FromSlice([]bool{true, false, true}))},
	} {
		f := open(t, file(fmt.Sprintf(`{"x":{"dtype":%q,"shape":[%d],"data_offsets":[0,%d]}}`, c.dtype, c.want.Len(), len(c.bytes)), c.bytes...))
		got, err := f.Tensor("x")
		require.NoError(t, err, c.dtype)
		require.True(t, tensor.Equal(c.want, got), "%s: %v", c.dtype, got)
		require.Equal(t, c.want.DType(), got.DType())

		// And written, it is read as the same.
		var b bytes.Buffer
		require.NoError(t, Write(&b, map[string]*tensor.Tensor{"x": c.want}, nil))
		back, err := open(t, b.Bytes()).Tensor("x")
		require.NoError(t, err)
		require.True(t, tensor.Equal(c.want, back), c.dtype)
		require.Equal(t, c.want.DType(), back.DType())
	}
}

func TestAFileAsOthersWriteIt(t *testing.T) {
	// Names in another order than data, metadata last, spaces for alignment, an empty tensor and a scalar.
	b := file(`{"b":{"data_offsets":[4,12],"dtype":"F32","shape":[2,1]},"none":{"dtype":"F16","shape":[0,3],"data_offsets":[12,12]},`+
		`"a":{"dtype":"I32","shape":[],"data_offsets":[0,4]},"é\n\"":{"dtype":"U8","shape":[1],"data_offsets":[12,13]},`+
		`"__metadata__":{"format":"pt","":""}}      `,
		5, 0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 9)
	f := open(t, b)
	require.Equal(t, []string{"a", "b", "none", "é\n\""}, f.Names())
	require.Equal(t, map[string]string{"format": "pt", "": ""}, f.Metadata())
	info, ok := f.Info("b")
	require.True(t, ok)
	require.Equal(t, Info{Name: "b", DType: "F32", Shape: []int{2, 1}, Start: 4, End: 12}, info)
	a, err := f.Tensor("a")
	require.NoError(t, err)
	require.Equal(t, 0, a.Rank())
	require.Equal(t, 5., a.Float64At(0))
	x, err := f.Tensor("b")
	require.NoError(t, err)
	require.True(t, tensor.Equal(tensor.Must(tensor.FromSlice([]float32{1, -2}, 2, 1)), x))
	none, err := f.Tensor("none")
	require.NoError(t, err)
	require.Equal(t, []int{0, 3}, none.Shape())
	_, ok = f.Info("c")
	require.False(t, ok)
	_, err = f.Tensor("c")
	require.ErrorContains(t, err, `there is no tensor "c" among 4`)
	require.Empty(t, open(t, file("{}")).Names())
}

func TestWhatIsWrittenHasTheBytesOfTheFormat(t *testing.T) {
	var b bytes.Buffer
	half := tensor.Must(tensor.Must(tensor.FromSlice([]uint8{1, 2, 3, 4, 5, 6}, 2, 3)).Transpose())
	require.NoError(t, Write(&b, map[string]*tensor.Tensor{
		"w<&>": half, "b": tensor.Must(tensor.FromSlice([]float32{1})), "a": tensor.Scalar(int32(7)),
	}, map[string]string{"k": "v"}))
	header := `{"__metadata__":{"k":"v"},"a":{"dtype":"I32","shape":[],"data_offsets":[0,4]},` +
		`"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]},"w<&>":{"dtype":"U8","shape":[3,2],"data_offsets":[8,14]}}`
	header += strings.Repeat(" ", (8-len(header)%8)%8)
	require.Equal(t, file(header, 7, 0, 0, 0, 0, 0, 0x80, 0x3f, 1, 4, 2, 5, 3, 6), b.Bytes())

	b.Reset()
	require.NoError(t, Write(&b, nil, nil))
	require.Equal(t, file("{}      "), b.Bytes())
}

func TestBadFilesAreRefusedWithWhatAndWhere(t *testing.T) {
	one := `"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}`
	four := []byte{0, 0, 0, 0}
	for _, c := range []struct {
		name string
		file []byte
		want []string
	}{
		{"empty", nil, []string{"0 bytes"}},
		{"cut in the length", []byte{1, 0, 0}, []string{"3 bytes"}},
		{"header above the limit", binary.LittleEndian.AppendUint64(nil, 100_000_001), []string{"100000001", "limit"}},
		{"a length of 2^64 - 1", bytes.Repeat([]byte{255}, 8), []string{"limit"}},
		{"header longer than the file", append(binary.LittleEndian.AppendUint64(nil, 20), '{', '}'),
			[]string{"a header of 20 bytes in a file of 10"}},
		{"no header", file(""), []string{"not {"}},
		{"not an object", file("[]"), []string{"not {"}},
		{"a space first", file(" {}"), []string{"not {"}},
		{"not JSON", file(`{"x"`), []string{"header"}},
		{"not UTF-8", file("{\"\xff\":1}"), []string{"UTF-8"}},
		{"text after", file("{}{}"), []string{"follows", "byte 2"}},
		{"data cut", file("{"+one+"}", 0, 0, 0), []string{`"x"`, "end at 4", "at 3"}},
		{"data too long", file("{"+one+"}", 0, 0, 0, 0, 0), []string{"end at 4", "at 5"}},
		{"a name twice", file("{"+one+","+one+"}", four...), []string{`key "x" twice`}},
		{"a key twice", file(`{"x":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, four...), []string{`"x"`, `"dtype" twice`}},
		{"metadata twice", file(`{"__metadata__":{},"__metadata__":{}}`), []string{"__metadata__", "twice"}},
		{"metadata of a number", file(`{"__metadata__":{"k":1}}`), []string{`"k"`, "not a string"}},
		{"metadata of a list", file(`{"__metadata__":[]}`), []string{"not an object"}},
		{"a hole", file(`{"x":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, 0, 0), []string{`"x"`, "hole"}},
		{"a hole between", file(`{"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"y":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}}`, 0, 0,
			0), []string{`"y"`, `"x"`, "hole"}},
		{"an overlap", file(`{"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"y":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}`, 0, 0, 0),
			[]string{`"y"`, `"x"`, "within"}},
		{"backward", file(`{"x":{"dtype":"U8","shape":[1],"data_offsets":[1,0]}}`, 0), []string{`"x"`, "before"}},
		{"another size", file(`{"x":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`, four...), []string{`"x"`, "F32[2]", "8 bytes"}},
		{"a negative size", file(`{"x":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}`, four...), []string{`"x"`, "-1"}},
		{"half a size", file(`{"x":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}}`, four...), []string{`"x"`, "1.5"}},
		{"more elements than there can be", file(`{"x":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`),
			[]string{`"x"`, "more elements"}},
		{"an unknown dtype", file(`{"x":{"dtype":"F31","shape":[1],"data_offsets":[0,4]}}`, four...), []string{`"x"`, `"F31"`}},
		{"no dtype", file(`{"x":{"shape":[1],"data_offsets":[0,4]}}`, four...), []string{`"x"`, "no dtype"}},
		{"one offset", file(`{"x":{"dtype":"F32","shape":[1],"data_offsets":[0]}}`, four...), []string{`"x"`, "data_offsets"}},
		{"another key", file(`{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"z":1}}`, four...), []string{`"x"`, `"z"`}},
		{"a shape of texts", file(`{"x":{"dtype":"F32","shape":["1"],"data_offsets":[0,4]}}`, four...), []string{`"x"`, "shape"}},
		{"part of a byte", file(`{"x":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}}`, 0, 0), []string{`"x"`, "within a byte"}},
		{"a number for a tensor", file(`{"x":1}`), []string{`"x"`, "not an object"}},
	} {
		_, err := NewFile(bytes.NewReader(c.file), int64(len(c.file)))
		require.ErrorIs(t, err, ErrFormat, c.name)
		for _, want := range c.want {
			require.ErrorContains(t, err, want, c.name)
		}
	}
}

func TestDTypesOfEightBitsAreRefusedByNameAndLeaveTheRest(t *testing.T) {
	for _, dtype := range []string{"F8_E4M3", "F8_E5M2", "F8_E8M0"} {
		f := open(t, file(`{"x":{"dtype":"`+dtype+`","shape":[2],"data_offsets":[0,2]},"y":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}}`, 1,
			2, 3))
		_, err := f.Tensor("x")
		require.ErrorIs(t, err, ErrDType)
		require.ErrorContains(t, err, dtype)
		y, err := f.Tensor("y")
		require.NoError(t, err)
		require.Equal(t, 3., y.Float64At(0))
	}
}

func TestAShapeThatNoTensorHasIsOfAFileThatIsNotValid(t *testing.T) {
	f := open(t, file(`{"x":{"dtype":"F32","shape":[9223372036854775807,9223372036854775807,0],"data_offsets":[0,0]}}`))
	_, err := f.Tensor("x")
	require.ErrorIs(t, err, ErrFormat)
	require.ErrorContains(t, err, "too many elements")
}

// large is a reader of a header and of data that nobody has.
type large struct{ header []byte }

func (l large) ReadAt(b []byte, at int64) (int, error) { return copy(b, l.header[at:]), nil }

func TestATensorThatTheMachineHasNoMemoryForIsNotDamage(t *testing.T) {
	const size = 1 << 45
	b := file(fmt.Sprintf(`{"x":{"dtype":"U8","shape":[%d],"data_offsets":[0,%d]}}`, size, size))
	f, err := NewFile(large{b}, int64(len(b))+size)
	require.NoError(t, err)
	_, err = f.Tensor("x")
	require.ErrorContains(t, err, "of this machine")
	require.NotErrorIs(t, err, ErrFormat)
}

func TestATensorIsReadWithoutTheOthers(t *testing.T) {
	b := file(`{"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"y":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}}`, 1, 2, 3, 4)
	// A reader that ends before the data, whatever it said about its size.
	f, err := NewFile(bytes.NewReader(b[:len(b)-2]), int64(len(b)))
	require.NoError(t, err)
	_, err = f.Tensor("x")
	require.NoError(t, err)
	_, err = f.Tensor("y")
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.ErrorContains(t, err, `"y"`)
}

func TestSaveAndLoad(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.safetensors")
	w := tensor.Must(tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3))
	require.NoError(t, Save(path, map[string]*tensor.Tensor{"w": w}, map[string]string{"a": "b"}))
	all, meta, err := Load(path)
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.True(t, tensor.Equal(w, all["w"]))
	require.Equal(t, map[string]string{"a": "b"}, meta)

	require.ErrorContains(t, Save(path, map[string]*tensor.Tensor{"x": nil}, nil), `"x" is nil`)
	require.ErrorContains(t, Save(path, map[string]*tensor.Tensor{metadataKey: w}, nil), metadataKey)
	require.ErrorContains(t, Save(path, map[string]*tensor.Tensor{"\xff": w}, nil), "UTF-8")
	require.ErrorContains(t, Save(path, nil, map[string]string{"\xff": ""}), "UTF-8")
	_, _, err = Load(path)
	require.NoError(t, err, "what failed left the file")
	_, err = Open(filepath.Join(dir, "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestAModelInSeveralFiles(t *testing.T) {
	dir := t.TempDir()
	tensors := map[string]*tensor.Tensor{}
	for i := range 5 {
		tensors[fmt.Sprintf("layer.%d", i)] = tensor.Must(tensor.FromSlice([]float32{float32(i), 1}))
	}
	require.NoError(t, SaveSharded(dir, tensors, nil, 16))
	path := filepath.Join(dir, "model.safetensors.index.json")
	x, err := OpenIndex(path)
	require.NoError(t, err)
	defer x.Close()
	require.Len(t, x.Names(), 5)
	for name, want := range tensors {
		got, err := x.Tensor(name)
		require.NoError(t, err)
		require.True(t, tensor.Equal(want, got))
		info, ok := x.Info(name)
		require.True(t, ok)
		require.Equal(t, "F32", info.DType)
	}
	_, err = os.Stat(filepath.Join(dir, "model-00003-of-00003.safetensors"))
	require.NoError(t, err)
	_, err = x.Tensor("other")
	require.ErrorContains(t, err, `"other"`)

	// What others write: the same names, and more metadata.
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var read struct {
		Metadata struct {
			Total int `json:"total_size"`
		} `json:"metadata"`
	}
	require.NoError(t, json.Unmarshal(text, &read))
	require.Equal(t, 40, read.Metadata.Total)

	for _, bad := range []string{`{`, `{}`, `{"weight_map":{"x":"../y"}}`, `{"weight_map":{"x":"/y"}}`, `{"weight_map":{"x":""}}`} {
		require.NoError(t, os.WriteFile(path, []byte(bad), 0o600))
		_, err = OpenIndex(path)
		require.ErrorIs(t, err, ErrFormat, bad)
	}
	require.NoError(t, os.WriteFile(path, []byte(`{"weight_map":{"x":"none"}}`), 0o600))
	y, err := OpenIndex(path)
	require.NoError(t, err)
	_, err = y.Tensor("x")
	require.ErrorIs(t, err, os.ErrNotExist)
}

// FuzzFile checks that no bytes make reading panic or take more memory than there are bytes, and that what is
// read, written and read again is the same.
func TestNothingIsReadAfterClose(t *testing.T) {
	dir := t.TempDir()
	tensors := map[string]*tensor.Tensor{
		"read": tensor.Must(tensor.FromSlice([]float32{1})), "unread": tensor.Must(tensor.FromSlice([]float32{2})),
		"empty": tensor.Must(tensor.FromSlice([]float32{})),
	}
	require.NoError(t, SaveSharded(dir, tensors, nil, 1)) // a file each
	x, err := OpenIndex(filepath.Join(dir, "model.safetensors.index.json"))
	require.NoError(t, err)
	_, err = x.Tensor("read")
	require.NoError(t, err)
	require.NoError(t, x.Close())
	for name := range tensors {
		_, err = x.Tensor(name)
		require.ErrorIs(t, err, os.ErrClosed, name)
		require.ErrorContains(t, err, name)
		_, ok := x.Info(name)
		require.False(t, ok, name)
	}
	require.NoError(t, x.Close())

	path := filepath.Join(dir, "one.safetensors")
	require.NoError(t, Save(path, tensors, nil))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	opened, err := Open(path)
	require.NoError(t, err)
	for _, f := range []*File{opened, open(t, text)} {
		require.NoError(t, f.Close())
		for name := range tensors {
			_, err = f.Tensor(name)
			require.ErrorIs(t, err, os.ErrClosed, name)
			_, ok := f.Info(name)
			require.True(t, ok, name)
		}
	}
}

func FuzzFile(f *testing.F) {
	f.Add(file("{}"))
	f.Add(file(`{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"__metadata__":{"a":"b"}}  `, 0, 0, 0x80, 0x3f))
	f.Add(file(`{"x":{"dtype":"BOOL","shape":[2,0,3],"data_offsets":[0,0]},"y":{"dtype":"I16","shape":[1,1],"data_offsets":[0,2]}}`, 3, 4))
	f.Add(file(`{"x":{"dtype":"F8_E5M2","shape":[2],"data_offsets":[0,2]}}`, 3, 4))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := NewFile(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			require.ErrorIs(t, err, ErrFormat)
			return
		}
		all := map[string]*tensor.Tensor{}
		for _, name := range s.Names() {
			if x, err := s.Tensor(name); err == nil {
				all[name] = x
			}
		}
		var again bytes.Buffer
		require.NoError(t, Write(&again, all, s.Metadata()))
		back := open(t, again.Bytes())
		require.Len(t, back.Names(), len(all))
		for name, want := range all {
			got, err := back.Tensor(name)
			require.NoError(t, err)
			wantBytes, _ := want.Bytes()
			gotBytes, _ := got.Bytes()
			require.True(t, bytes.Equal(wantBytes, gotBytes))
			require.Equal(t, want.Shape(), got.Shape())
		}
	})
}
