package main

import (
	"bytes"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFortyStepsTellMostClothesApart(t *testing.T) {
	if _, err := os.Stat(debianFolder); err != nil {
		t.Skip("needs Fashion-MNIST: apt-get install dataset-fashion-mnist")
	}
	plot := filepath.Join(t.TempDir(), "loss.png")
	var out, progress bytes.Buffer
	accuracy, err := run(t.Context(), options{data: debianFolder, plot: plot, epochs: 1, seed: 1, limit: 4000}, &out, &progress)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, accuracy, 0.70)
	assert.Contains(t, out.String(), "4000 images to learn, 4000 to test; runs on ")
	assert.Contains(t, progress.String(), "epoch  1")

	f, err := os.Open(plot)
	require.NoError(t, err)
	defer f.Close()
	drawn, err := png.Decode(f)
	require.NoError(t, err)
	assert.Greater(t, drawn.Bounds().Dx(), 300)
}

func TestMissingDataSayHowToGetThem(t *testing.T) {
	_, err := run(t.Context(), options{data: t.TempDir(), epochs: 1}, io.Discard, io.Discard)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "apt-get install dataset-fashion-mnist")
	require.ErrorContains(t, err, "-data")
}

func TestDamagedDataAreRefused(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, trainImages), []byte{0, 0, 8, 0, 1}, 0o600))
	_, err := run(t.Context(), options{data: folder, epochs: 1}, io.Discard, io.Discard)
	require.ErrorContains(t, err, trainImages)
	require.ErrorContains(t, err, "SHA-256")
}
