package main

import (
	"bytes"
	"context"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/safetensors"
	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/train"
)

func TestFortyStepsTellMostClothesApart(t *testing.T) {
	if _, err := os.Stat(debianFolder); err != nil {
		t.Skip("needs Fashion-MNIST: apt-get install dataset-fashion-mnist")
	}
	plot := filepath.Join(t.TempDir(), "loss.png")
	var out, progress bytes.Buffer
	accuracy, err := run(t.Context(), options{data: debianFolder, plot: plot, epochs: 1, seed: 1, limit: 4000, precision: tensor.Float32}, &out, &progress)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, accuracy, 0.70)
	assert.Contains(t, out.String(), "4000 images to learn, 4000 to test; runs on ")
	assert.Contains(t, progress.String(), "epoch   1  step     40")

	f, err := os.Open(plot)
	require.NoError(t, err)
	defer f.Close()
	drawn, err := png.Decode(f)
	require.NoError(t, err)
	assert.Greater(t, drawn.Bounds().Dx(), 300)
}

func TestMissingDataSayHowToGetThem(t *testing.T) {
	_, err := run(t.Context(), options{data: t.TempDir(), epochs: 1, precision: tensor.Float32}, io.Discard, io.Discard)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "apt-get install dataset-fashion-mnist")
	require.ErrorContains(t, err, "-data")
}

func TestDamagedDataAreRefused(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, trainImages), []byte{0, 0, 8, 0, 1}, 0o600))
	_, err := run(t.Context(), options{data: folder, epochs: 1, precision: tensor.Float32}, io.Discard, io.Discard)
	require.ErrorContains(t, err, trainImages)
	require.ErrorContains(t, err, "SHA-256")
}

// striped are n images of horizontal or vertical stripes and their kinds.
func striped(n int) set {
	s := blank(n)
	for i := range n {
		s.kinds.SetFloat64(i, float64(i%2))
		for p := range side * side {
			if across := []int{p / side, p % side}[i%2]; (across+i/2)/3%2 == 0 {
				s.images.SetFloat64(i*side*side+p, float64(100+i%156))
			}
		}
	}
	return s
}

// leaving ends a training once it has written its first line.
type leaving struct {
	bytes.Buffer
	leave context.CancelFunc
}

func (l *leaving) Write(b []byte) (int, error) {
	l.leave()
	return l.Buffer.Write(b)
}

// Of float16 a training has the most state: the scale of the derivatives too, which falls in the first steps.
func TestATrainingThatIsInterruptedAndGoesOnHasTheSameBits(t *testing.T) {
	rt, err := ops.Open(t.Context(), &ops.Options{Device: "none"})
	require.NoError(t, err)
	defer rt.Close()
	folder := t.TempDir()
	o := options{epochs: 2, seed: 1, precision: tensor.Float16, save: filepath.Join(folder, "whole")}
	learned, test := striped(2*batch), striped(batch)
	accuracy, err := learn(t.Context(), rt, learned, test, o, io.Discard)
	require.NoError(t, err)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o.save = filepath.Join(folder, "part")
	_, err = learn(ctx, rt, learned, test, o, &leaving{leave: cancel})
	var i *train.Interrupted
	require.ErrorAs(t, err, &i)
	require.Equal(t, o.save, i.Path)
	require.Equal(t, 2, i.Step)
	o.resume = o.save
	again, err := learn(t.Context(), rt, learned, test, o, io.Discard)
	require.NoError(t, err)
	require.Equal(t, accuracy, again)

	whole, err := safetensors.Open(filepath.Join(folder, "whole"))
	require.NoError(t, err)
	defer whole.Close()
	part, err := safetensors.Open(o.save)
	require.NoError(t, err)
	defer part.Close()
	require.Equal(t, whole.Names(), part.Names())
	for _, name := range whole.Names() {
		x, err := whole.Tensor(name)
		require.NoError(t, err)
		y, err := part.Tensor(name)
		require.NoError(t, err)
		require.True(t, tensor.Equal(x, y), name)
	}
}

func TestPrecisionsAreTheThreeThatAreNamed(t *testing.T) {
	var o options
	require.NoError(t, o.setPrecision("bfloat16"))
	require.Equal(t, tensor.BFloat16, o.precision)
	for _, bad := range []string{"float64", "int8", "half"} {
		require.Error(t, o.setPrecision(bad), bad)
	}
}
