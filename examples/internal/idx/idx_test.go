package idx

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/tensor"
)

var small = []byte{0, 0, 0x08, 2, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6}

func TestBytesAndShapeAreRead(t *testing.T) {
	x, err := Read(bytes.NewReader(small))
	require.NoError(t, err)
	require.Equal(t, tensor.Shape{2, 3}, x.Shape())
	v, err := tensor.ToSlice[uint8](x)
	require.NoError(t, err)
	require.Equal(t, []uint8{1, 2, 3, 4, 5, 6}, v)
}

func TestWideElementsAreBigEndian(t *testing.T) {
	for _, c := range []struct {
		file []byte
		dt   tensor.DType
		want float64
	}{
		{[]byte{0, 0, 0x09, 0, 0xfe}, tensor.Int8, -2},
		{[]byte{0, 0, 0x0b, 0, 1, 2}, tensor.Int16, 258},
		{[]byte{0, 0, 0x0c, 0, 0xff, 0xff, 0xff, 0xfe}, tensor.Int32, -2},
		{[]byte{0, 0, 0x0d, 0, 0x3f, 0xc0, 0, 0}, tensor.Float32, 1.5},
		{[]byte{0, 0, 0x0e, 0, 0xc0, 4, 0, 0, 0, 0, 0, 0}, tensor.Float64, -2.5},
	} {
		x, err := Read(bytes.NewReader(c.file))
		require.NoError(t, err)
		require.Equal(t, c.dt, x.DType())
		require.Equal(t, c.want, x.Float64At(0))
	}
}

func TestFilesThatAreNotIDXAreErrors(t *testing.T) {
	for _, c := range []struct {
		name, want string
		file       []byte
	}{
		{"empty", "header", nil},
		{"another magic", "is not how", []byte("PNG\x00")},
		{"unknown type", "is not how", []byte{0, 0, 0x0a, 0}},
		{"extents cut short", "extents", []byte{0, 0, 8, 2, 0, 0, 0, 1}},
		{"data cut short", "takes 6 elements", small[:len(small)-1]},
		{"data too long", "takes 6 elements", append(bytes.Clone(small), 7)},
		{"half an element", "takes 1 elements", []byte{0, 0, 0x0b, 0, 1, 2, 3}},
		{"more than any memory", "idx: tensor:", bytes.Join([][]byte{{0, 0, 8, 16}, bytes.Repeat([]byte{0xff}, 64)}, nil)},
	} {
		_, err := Read(bytes.NewReader(c.file))
		require.ErrorContains(t, err, c.want, c.name)
	}
}

func TestPackedFilesAreFoundAndChecked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "images")
	_, err := Load(path, "")
	require.ErrorIs(t, err, fs.ErrNotExist)

	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err = w.Write(small)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile(path+".gz", packed.Bytes(), 0o600))
	sum := fmt.Sprintf("%x", sha256.Sum256(small))
	x, err := Load(path, sum)
	require.NoError(t, err)
	require.Equal(t, 6, x.Len())

	require.NoError(t, os.WriteFile(path, small[:len(small)-1], 0o600))
	_, err = Load(path, sum)
	require.ErrorContains(t, err, "SHA-256", "the file that is not packed goes first")
}
