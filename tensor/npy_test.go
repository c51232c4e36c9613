package tensor

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// npyFile builds a .npy file from a version, a header text and data.
func npyFile(major byte, header string, data ...byte) []byte {
	b := append([]byte(npyMagic), major, 0)
	if major == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	}
	return append(append(b, header...), data...)
}

func TestFilesFromNumPyAreRead(t *testing.T) {
	t.Parallel()
	for _, dt := range DTypes() {
		if dt == BFloat16 {
			continue
		}
		want := []float64{0, 1, 2, 0, 1, 2}
		switch {
		case dt == Bool:
			want = []float64{0, 1, 1, 0, 1, 1}
		case dt.IsSigned():
			want = []float64{-1, 0, 1, -1, 0, 1}
		}
		for _, order := range []string{"le", "be"} {
			x, err := LoadNPY(filepath.Join("testdata", dt.String()+"_"+order+".npy"))
			require.NoError(t, err)
			assert.Equal(t, dt, x.DType())
			assert.Equal(t, []int{2, 3}, x.Shape())
			assert.Equal(t, want, elements(x), "%s %s", dt, order)
		}
	}
	load := func(name string) *Tensor { return Must(LoadNPY(filepath.Join("testdata", name))) }

	fortran := load("fortran.npy")
	assert.True(t, Equal(iota32(t, 2, 3, 4), fortran))
	assert.Equal(t, []int{1, 2, 6}, fortran.Strides(), "Fortran order is a view, not a copy")
	assert.True(t, Equal(Scalar(-1.5), load("scalar.npy")))
	assert.Equal(t, []int{3, 0, 2}, load("empty.npy").Shape())
	inf := math.Inf(1)
	special := load("special.npy")
	assert.True(t, Equal(Must(Cast(Must(FromSlice([]float64{math.NaN(), inf, -inf, 0, 65504, 0x1p-24})), Float16)), special))
	assert.True(t, math.Signbit(special.Float64At(3)))
	assert.True(t, Equal(Must(FromSlice([]BF16{BF16From(1), BF16From(-2.5)})), load("void2.npy")))
	for _, name := range []string{"version2.npy", "version3.npy"} {
		assert.True(t, Equal(Must(FromSlice([]int16{0, 1, 2, 3, 4})), load(name)), name)
	}
	for name, want := range map[string]string{
		"structured.npy": "structured", "unicode.npy": `"<U2"`, "absent.npy": "no such file",
	} {
		_, err := LoadNPY(filepath.Join("testdata", name))
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, name)
	}
}

func TestFilesAreWrittenByteForByteAsNumPyWritesThem(t *testing.T) {
	t.Parallel()
	if hostOrder != '<' {
		t.Skip("the golden files that are compared were written by a little-endian host")
	}
	names := []string{"fortran", "scalar", "empty", "special", "complex64_le", "complex128_le"}
	for _, dt := range DTypes() {
		if dt != BFloat16 {
			names = append(names, dt.String()+"_le")
		}
	}
	for _, name := range names {
		golden, err := os.ReadFile(filepath.Join("testdata", name+".npy"))
		require.NoError(t, err)
		x, err := ReadNPY(bytes.NewReader(golden))
		require.NoError(t, err)
		var out bytes.Buffer
		require.NoError(t, WriteNPY(&out, x))
		assert.Equal(t, golden, out.Bytes(), name)
	}
}

func TestEveryDTypeAndLayoutSurvivesAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, dt := range DTypes() {
		x := Must(Cast(iota32(t, 3, 4, 5), dt))
		for name, y := range map[string]*Tensor{
			"contiguous": x, "fortran": Must(x.Transpose()), "mixed": Must(x.Transpose(1, 0, 2)),
			"flipped": Must(x.Flip()), "part": Must(x.Slice(2, 1, 5, 2)), "scalar": Must(Must(x.Reshape(60)).Index(0, 7)),
			"empty": Must(x.Slice(1, 2, 2, 1)), "broadcast": Must(Must(x.Index(0, 1)).BroadcastTo(2, 4, 5)),
		} {
			path := filepath.Join(dir, dt.String()+name+".npy")
			require.NoError(t, SaveNPY(path, y))
			back, err := LoadNPY(path)
			require.NoError(t, err)
			assert.True(t, Equal(y, back), "%s %s: %v became %v", dt, name, y, back)
			raw, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Zero(t, (len(raw)-y.NumBytes())%Alignment, "the data start aligned")
		}
	}
}

func TestArraysInOneStreamAreReadOneByOne(t *testing.T) {
	t.Parallel()
	var stream bytes.Buffer
	a, b := iota32(t, 3), Scalar(2.5)
	require.NoError(t, WriteNPY(&stream, a))
	require.NoError(t, WriteNPY(&stream, b))
	assert.True(t, Equal(a, Must(ReadNPY(&stream))))
	assert.True(t, Equal(b, Must(ReadNPY(&stream))))
	_, err := ReadNPY(&stream)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

func TestAReaderOfUnknownLengthIsReadWhole(t *testing.T) {
	t.Parallel()
	x := iota32(t, 1<<18, 3) // 3 MiB: three steps of the growing buffer
	var file bytes.Buffer
	require.NoError(t, WriteNPY(&file, x))
	y, err := ReadNPY(iotest.HalfReader(bytes.NewReader(file.Bytes())))
	require.NoError(t, err)
	assert.True(t, Equal(x, y))
	data, _ := y.Bytes()
	assert.Zero(t, addressOf(data)%Alignment)
}

func TestEveryTruncationIsAnError(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	require.NoError(t, WriteNPY(&file, iota32(t, 2, 3)))
	whole := file.Bytes()
	for n := range whole {
		for _, r := range []io.Reader{bytes.NewReader(whole[:n]), iotest.DataErrReader(bytes.NewReader(whole[:n]))} {
			_, err := ReadNPY(r)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%d of %d bytes", n, len(whole))
		}
	}
	path := filepath.Join(t.TempDir(), "cut.npy")
	require.NoError(t, os.WriteFile(path, whole[:len(whole)-1], 0o600))
	_, err := LoadNPY(path)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	_, err = LoadNPY(t.TempDir())
	require.Error(t, err)
}

func TestAHeaderThatLiesAboutItsSizeAllocatesLittle(t *testing.T) {
	for _, shape := range []string{"(1099511627776,)", "(1048576, 1048576)", "(17592186044416, 3)"} {
		file := npyFile(1, "{'descr': '<f4', 'fortran_order': False, 'shape': "+shape+", }\n", 1, 2, 3)
		for _, r := range []func() io.Reader{
			func() io.Reader { return bytes.NewReader(file) },
			func() io.Reader { return iotest.OneByteReader(bytes.NewReader(file)) },
		} {
			result := testing.Benchmark(func(b *testing.B) {
				b.ReportAllocs()
				for range min(b.N, 20) {
					if _, err := ReadNPY(r()); err == nil {
						b.Fatal("no error")
					}
				}
			})
			require.NotZero(t, result.N)
			assert.Less(t, result.MemBytes, uint64(20*2<<20), shape)
		}
	}
}

func TestHeadersNumPyAcceptsAreAccepted(t *testing.T) {
	t.Parallel()
	for _, header := range []string{
		"{'descr':'<u2','fortran_order':False,'shape':(2,)}",
		`{"shape": (2,), "fortran_order": False, "descr": "<u2"}` + "   \n",
		" { 'shape' : ( 2 , ) , 'descr' : '<u2' , 'fortran_order' : True , } ",
		"{'descr': '<u2', 'fortran_order': False, 'shape': (2L,), }",
		"{'descr': '<u2', 'fortran_order': False, 'shape': (1, 2), }",
	} {
		for _, major := range []byte{1, 2, 3} {
			x, err := ReadNPY(bytes.NewReader(npyFile(major, header, 1, 0, 2, 1)))
			require.NoError(t, err, header)
			assert.Equal(t, []float64{1, 258}, elements(x), header)
		}
	}
}

func TestCorruptHeadersAreErrors(t *testing.T) {
	t.Parallel()
	const good = "{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }"
	data := []byte{1, 0, 2, 0}
	for _, change := range []struct{ from, to, want string }{
		{"{", "[", "start with {"}, {"}", "", "expected a string"}, {"}", "} x", "closing brace"},
		{"'descr'", "descr", "expected a string"}, {"'descr': '<u2', ", "", `"descr" is missing`},
		{"'fortran_order': False, ", "", "missing"}, {"'shape': (2,), ", "", "missing"},
		{"'shape'", "'descr'", "twice"}, {"'shape'", "'extra'", "unknown key"},
		{"'shape':", "'shape'", "no colon"}, {"False,", "False", "no comma"},
		{"False", "0", "neither"}, {"<u2", "<u3", "not supported"}, {"<u2", "", "not supported"}, {"<u2", "O", "not supported"},
		{"'<u2'", "'<u2", ""}, {"'<u2'", "[('a', '<u2')]", "structured"},
		{"(2,)", "2", "tuple"}, {"(2,)", "(-2,)", "tuple"}, {"(2,)", "(,)", "tuple"}, {"(2,)", "(2 2)", "tuple"},
		{"(2,)", "(2,", ""}, {"(2,)", "(2,,)", "tuple"}, {"(2,)", "(99999999999999999999,)", "out of range"},
		{"(2,)", "(4611686018427387904, 4)", "too many"}, {"(2,)", "(0, 9223372036854775807, 2)", "too many"},
		{"(2,)", "(9223372036854775807,)", "too many bytes"}, {"(2,)", "(3,)", "4 of 6 bytes"}, {"(2,)", "(300,)", "do not fit"},
	} {
		header := strings.Replace(good, change.from, change.to, 1)
		x, err := ReadNPY(bytes.NewReader(npyFile(1, header, data...)))
		require.ErrorContains(t, err, change.want, header)
		assert.Nil(t, x)
		assert.Regexp(t, "^tensor: ", err.Error())
	}
	for name, file := range map[string][]byte{
		"magic":         append([]byte("\x93NUMPX"), npyFile(1, good, data...)[6:]...),
		"version 0":     npyFile(0, good, data...),
		"version 4":     npyFile(4, good, data...),
		"minor version": append([]byte(npyMagic), 1, 1, 0, 0),
		"huge header":   append([]byte(npyMagic), 2, 0, 0xff, 0xff, 0xff, 0xff),
		"empty header":  npyFile(1, ""),
	} {
		_, err := ReadNPY(bytes.NewReader(file))
		require.Error(t, err, name)
	}
}

func TestBoolBytesBecomeZeroOrOne(t *testing.T) {
	t.Parallel()
	header := "{'descr': '|b1', 'fortran_order': False, 'shape': (4,), }"
	x, err := ReadNPY(bytes.NewReader(npyFile(1, header, 0, 1, 2, 255)))
	require.NoError(t, err)
	data, _ := x.Bytes()
	assert.Equal(t, []byte{0, 1, 1, 1}, data)
}

func TestAShapeTooLongForAHeaderIsRefused(t *testing.T) {
	t.Parallel()
	shape := make([]int, 21800)
	for i := range shape {
		shape[i] = 1
	}
	var file bytes.Buffer
	x := Must(New(Int8, shape...))
	require.NoError(t, WriteNPY(&file, x))
	assert.True(t, Equal(x, Must(ReadNPY(&file))))
	require.ErrorContains(t, WriteNPY(&file, Must(New(Int8, append(shape, shape...)...))), "43600 axes")
}

// failingWriter fails after some bytes.
type failingWriter int

var errFull = errors.New("disk full")

func (w *failingWriter) Write(b []byte) (int, error) {
	if *w -= failingWriter(len(b)); *w < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestWriteErrorsComeBack(t *testing.T) {
	t.Parallel()
	for _, room := range []failingWriter{0, 128} {
		require.ErrorIs(t, WriteNPY(&room, iota32(t, 4)), errFull)
	}
	require.ErrorIs(t, SaveNPY(filepath.Join(t.TempDir(), "no", "x.npy"), iota32(t, 4)), os.ErrNotExist)
	path := filepath.Join(t.TempDir(), "x.npy")
	require.Error(t, SaveNPY(path, new(Tensor)))
	assert.NoFileExists(t, path)
}

func FuzzReadNPY(f *testing.F) {
	golden, err := filepath.Glob("testdata/*.npy")
	require.NoError(f, err)
	require.NotEmpty(f, golden)
	for _, path := range golden {
		file, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		x, err := ReadNPY(iotest.HalfReader(bytes.NewReader(file)))
		y, sizedErr := ReadNPY(bytes.NewReader(file))
		if (err == nil) != (sizedErr == nil) {
			t.Fatalf("the two readers disagree: %v and %v", err, sizedErr)
		}
		if err != nil {
			return
		}
		if x.NumBytes() > len(file) {
			t.Fatalf("%d bytes from a file of %d", x.NumBytes(), len(file))
		}
		var out bytes.Buffer
		require.NoError(t, WriteNPY(&out, x))
		back, err := ReadNPY(&out)
		require.NoError(t, err)
		if !Equal(x, back) || !Equal(x, y) {
			t.Fatalf("%v became %v", x, back)
		}
	})
}
