package main

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
)

func TestPointsInsideNeverEscape(t *testing.T) {
	const depth = 300
	for _, c := range []struct {
		x, y float32
		want int32
	}{
		{0, 0, depth}, {-1, 0, depth}, {-0.12, 0.74, depth}, // the cardioid and two disks
		{2, 2, 1}, {1, 0, 3}, {-2.1, 0, 1},
	} {
		assert.Equal(t, c.want, escape(c.x, c.y, depth), "%v + %vi", c.x, c.y)
	}
}

func TestBothEnginesDrawTheSamePicture(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.png")
	o := options{width: 151, depth: 200, file: file}
	rt, err := ops.Open(t.Context(), nil)
	require.NoError(t, err)
	pictures := 1
	if rt.Device() != nil {
		pictures = 2
	}
	require.NoError(t, rt.Close())

	var out bytes.Buffer
	require.NoError(t, run(t.Context(), o, &out))
	if pictures == 2 {
		assert.Contains(t, out.String(), "100.000 % of the points are the same")
	} else {
		assert.Contains(t, out.String(), "the CPU path")
	}
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	picture, err := png.Decode(f)
	require.NoError(t, err)
	assert.Equal(t, image.Rect(0, 0, pictures*151, 100), picture.Bounds())
	r, g, b, _ := picture.At(117, 50).RGBA() // the origin is inside
	assert.Zero(t, r+g+b)
	r, g, b, _ = picture.At(0, 0).RGBA()
	assert.NotZero(t, r+g+b)
}

func TestAFileThatCannotBeWrittenIsAnError(t *testing.T) {
	var out bytes.Buffer
	o := options{device: "none", width: 4, depth: 2, file: filepath.Join(t.TempDir(), "no", "such", "folder.png")}
	require.ErrorIs(t, run(t.Context(), o, &out), os.ErrNotExist)
}
