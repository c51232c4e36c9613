package data

import (
	"archive/zip"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/tensor"
)

func TestNPZFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npz")
	// As NumPy writes it: a Fortran-ordered matrix and big-endian integers, by the description of the format.
	npy := func(header string, data ...byte) []byte {
		header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
		return append([]byte("\x93NUMPY\x01\x00"+string([]byte{byte(len(header)), byte(len(header) >> 8)})+header), data...)
	}
	f, err := os.Create(path)
	require.NoError(t, err)
	z := zip.NewWriter(f)
	for name, b := range map[string][]byte{
		"m.npy": npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", 1, 4, 2, 5, 3, 6),
		"v.npy": npy("{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }", 1, 0, 0xff, 0xfe),
	} {
		w, err := z.Create(name)
		require.NoError(t, err)
		_, err = w.Write(b)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	require.NoError(t, f.Close())
	all, err := LoadNPZ(path)
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.True(t, tensor.Equal(tensor.Must(tensor.FromSlice([]uint8{1, 2, 3, 4, 5, 6}, 2, 3)), all["m"]))
	require.True(t, tensor.Equal(tensor.Must(tensor.FromSlice([]int16{256, -2})), all["v"]))
	d, err := Tensors(all["m"], all["v"])
	require.NoError(t, err)
	row := []*tensor.Tensor{tensor.Must(tensor.New(tensor.Uint8, 1, 3)), tensor.Must(tensor.New(tensor.Int16, 1))}
	require.NoError(t, d.Read([]int{1}, row))
	require.True(t, tensor.Equal(tensor.Must(tensor.FromSlice([]uint8{4, 5, 6}, 1, 3)), row[0]), "a transposed view is read by rows")

	for _, compress := range []bool{false, true} {
		require.NoError(t, SaveNPZ(path, all, compress))
		back, err := LoadNPZ(path)
		require.NoError(t, err)
		require.Len(t, back, 2)
		require.True(t, tensor.Equal(all["m"], back["m"]))
	}
	require.ErrorContains(t, SaveNPZ(path, map[string]*tensor.Tensor{"x": nil}, false), `"x" is nil`)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, b[:len(b)/2], 0o600))
	_, err = LoadNPZ(path)
	require.ErrorContains(t, err, path)
}

const flowers = "\ufeffsize,colour, weight ,class\n1.5,red,3,b\n-2,\"deep, blue\",NA,a\n4e1,red,5,b\n"

func TestCSVColumnsHaveTypes(t *testing.T) {
	table, err := ReadCSV(strings.NewReader(flowers), CSVOptions{})
	require.NoError(t, err)
	require.Equal(t, 3, table.Rows())
	require.Equal(t, []float64{1.5, -2, 40}, table.Columns[0].Numbers)
	require.Equal(t, []string{"red", "deep, blue", "red"}, table.Columns[1].Texts)
	require.Equal(t, "weight", table.Columns[2].Name)
	require.True(t, math.IsNaN(table.Columns[2].Numbers[1]))
	x, err := table.Matrix(tensor.Float32, "size")
	require.NoError(t, err)
	require.True(t, tensor.Equal(tensor.Must(tensor.FromSlice([]float32{1.5, -2, 40}, 3, 1)), x))
	_, err = table.Matrix(tensor.Float32)
	require.ErrorContains(t, err, `column "weight" has no value in row 1`)
	_, err = table.Matrix(tensor.Float32, "colour")
	require.ErrorContains(t, err, "texts")
	_, err = table.Matrix(tensor.Float32, "none")
	require.ErrorContains(t, err, `no column "none"`)
	y, names, err := table.Classes("class")
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, names)
	require.True(t, tensor.Equal(tensor.Must(tensor.FromSlice([]int64{1, 0, 1})), y))
	y, names, err = table.Classes("size")
	require.NoError(t, err)
	require.Equal(t, []string{"-2", "1.5", "40"}, names)
	require.True(t, tensor.Equal(tensor.Must(tensor.FromSlice([]int64{1, 0, 2})), y))
	_, _, err = table.Classes("weight")
	require.ErrorContains(t, err, "row 1")

	table, err = ReadCSV(strings.NewReader("#c\n1;2\n3;4\n"), CSVOptions{Comma: ';', Comment: '#', NoHeader: true, Types: map[string]ColumnType{"1": Text}})
	require.NoError(t, err)
	require.Equal(t, []float64{1, 3}, table.Columns[0].Numbers)
	require.Equal(t, []string{"2", "4"}, table.Columns[1].Texts)
	table, err = ReadCSV(strings.NewReader("150,4\n1,2\n"), CSVOptions{Names: []string{"a", "b"}})
	require.NoError(t, err)
	require.Equal(t, 1, table.Rows())
	require.Equal(t, "b", table.Columns[1].Name)

	for text, want := range map[string]string{
		"a,b\n1\n":      "line 2",
		"a,a\n":         `two columns are called "a"`,
		"a\n1\nx\n":     `line 3: column "a" holds "x"`,
		"a\n\"x\n1\n\n": "csv",
	} {
		_, err = ReadCSV(strings.NewReader(text), CSVOptions{Types: map[string]ColumnType{"a": Number}})
		require.ErrorContains(t, err, want, text)
	}
	_, err = ReadCSV(strings.NewReader("b\n"), CSVOptions{Types: map[string]ColumnType{"a": Number}})
	require.ErrorContains(t, err, `no column "a"`)
	_, err = LoadCSV(filepath.Join(t.TempDir(), "none"), CSVOptions{})
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestStandardisationIsFittedOnceAndUndone(t *testing.T) {
	x := tensor.Must(tensor.FromSlice([]float64{1, 5, 7, 3, 5, 9}, 2, 3))
	s, err := FitStandard(x)
	require.NoError(t, err)
	require.Equal(t, &Standard{Mean: []float64{2, 5, 8}, Deviation: []float64{1, 1, 1}}, s)
	z, err := s.Apply(tensor.Must(tensor.FromSlice([]float32{4, 5, 6})))
	require.NoError(t, err)
	require.True(t, tensor.Equal(tensor.Must(tensor.FromSlice([]float32{2, 0, -2})), z))
	back, err := s.Undo(z)
	require.NoError(t, err)
	require.True(t, tensor.Equal(tensor.Must(tensor.FromSlice([]float32{4, 5, 6})), back))
	_, err = s.Apply(tensor.Must(tensor.FromSlice([]float32{4})))
	require.ErrorContains(t, err, "3 columns")
	_, err = FitStandard(tensor.Must(tensor.FromSlice([]float64{1, math.NaN()}, 2, 1)))
	require.ErrorContains(t, err, "row 1 of column 0")
	_, err = FitStandard(nil)
	require.Error(t, err)
}

func TestImagesOfFolders(t *testing.T) {
	dir := t.TempDir()
	save := func(name string, img image.Image) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		f, err := os.Create(path)
		require.NoError(t, err)
		if strings.HasSuffix(name, ".png") {
			require.NoError(t, png.Encode(f, img))
		} else {
			require.NoError(t, jpeg.Encode(f, img, &jpeg.Options{Quality: 100}))
		}
		require.NoError(t, f.Close())
	}
	exact := image.NewRGBA(image.Rect(3, 4, 5, 5)) // its corner is not 0, 0
	exact.Set(3, 4, color.RGBA{255, 0, 10, 255})
	exact.Set(4, 4, color.RGBA{0, 200, 20, 255})
	save("b/x.png", exact)
	large := image.NewGray(image.Rect(0, 0, 8, 4))
	for i := range large.Pix {
		large.Pix[i] = 100
	}
	save("a/deep/y.JPG", large)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a", "notes.txt"), nil, 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "empty"), 0o755))

	d, err := Images(dir, ImageOptions{Height: 1, Width: 2})
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, d.Classes)
	l, err := NewLoader(d, LoaderOptions{Batch: 2})
	require.NoError(t, err)
	for b, err := range l.Epoch(t.Context()) {
		require.NoError(t, err)
		require.True(t, tensor.Equal(tensor.Must(tensor.FromSlice([]int64{0, 1})), b.Tensors[1]))
		require.Equal(t, []int{2, 3, 1, 2}, b.Tensors[0].Shape())
		got, err := tensor.ToSlice[uint8](b.Tensors[0])
		require.NoError(t, err)
		require.Equal(t, []uint8{255, 0, 0, 200, 10, 20}, got[6:])
		for _, v := range got[:6] {
			require.InDelta(t, 100, int(v), 2, "a JPEG of one grey, scaled")
		}
	}
	grey, err := Images(dir, ImageOptions{Height: 2, Width: 1, Grey: true})
	require.NoError(t, err)
	require.Equal(t, []int{1, 2, 1}, grey.Fields()[0].Shape)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "b", "z.png"), []byte("no image"), 0o600))
	d, err = Images(dir, ImageOptions{Height: 1, Width: 2})
	require.NoError(t, err)
	require.ErrorContains(t, d.Read([]int{2}, []*tensor.Tensor{tensor.Must(tensor.New(tensor.Uint8, 1, 3, 1, 2)), tensor.Must(tensor.New(tensor.Int64, 1))}), "z.png")
	_, err = Images(filepath.Join(dir, "a"), ImageOptions{Height: 1, Width: 0})
	require.Error(t, err)
	_, err = Images(filepath.Join(dir, "empty"), ImageOptions{Height: 1, Width: 1})
	require.ErrorContains(t, err, "no PNG or JPEG")
}

func TestScalingKeepsMeansAndLines(t *testing.T) {
	line := make([]float64, 12)
	for i := range line {
		line[i] = float64(i)
	}
	half := scale(line, 1, 12, 1, 6)
	for i, v := range half[1:5] { // away from the border
		require.InDelta(t, float64(2*(i+1))+0.5, v, 1e-12)
	}
	double := scale(line, 1, 12, 1, 24)
	require.InDelta(t, 3.25, double[7], 1e-12)
	require.InDelta(t, 0, double[0], 1e-12)
	require.Equal(t, line, scale(line, 1, 12, 1, 12))
}

func TestAByteOrderMarkIsNoPartOfTheData(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		o    CSVOptions
	}{
		"without a header":   {"\ufeff1,2\n3,4\n", CSVOptions{NoHeader: true}},
		"of a quoted header": {"\ufeff\"0\",\"1\"\n1,2\n3,4\n", CSVOptions{}},
	} {
		table, err := ReadCSV(strings.NewReader(c.text), c.o)
		require.NoError(t, err, name)
		column, err := table.Column("0")
		require.NoError(t, err, name)
		require.Equal(t, []float64{1, 3}, column.Numbers, name)
	}
}
