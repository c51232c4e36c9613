package main

import (
	"bytes"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	digits "github.com/anycl/anycl/examples/digits/data"
	"github.com/anycl/anycl/tensor"
)

// distance is the root of the mean square of the differences of two images.
func distance(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		d := float64(a[i] - b[i])
		sum += d * d
	}
	return math.Sqrt(sum / float64(len(a)))
}

func TestDigitsComeBackAndNewOnesLookLikeDigits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "digits.png")
	var out bytes.Buffer
	drawn, err := run(t.Context(), options{device: "none", png: path, epochs: 20, latent: 8, seed: 1}, &out)
	require.NoError(t, err)
	require.Contains(t, out.String(), "epoch  20")
	all, err := tensor.ToSlice[float32](drawn)
	require.NoError(t, err)
	row := func(i int) []float32 { return all[i*pixels : (i+1)*pixels] }

	byDigit, err := digits.Digits()
	require.NoError(t, err)
	mean, n := make([]float32, pixels), float32(0)
	for _, images := range byDigit {
		for _, image := range images {
			n++
			for i, v := range image {
				mean[i] += (v - mean[i]) / n
			}
		}
	}
	back, nothing := 0.0, 0.0
	for i := range columns {
		back += distance(row(i), row(columns+i))
		nothing += distance(row(i), mean)
	}
	require.Less(t, back, 0.7*nothing, "closer than the mean of all digits")

	// The nearest real digit to a new one is about as near as it is to another real digit.
	nearest := func(image []float32, skip int) float64 {
		least, k := math.Inf(1), 0
		for _, images := range byDigit {
			for _, other := range images {
				if k++; k-1 != skip {
					least = min(least, distance(image, other))
				}
			}
		}
		return least
	}
	fresh, real, k := 0.0, 0.0, 0
	for _, images := range byDigit {
		for i, image := range images {
			if i < columns/10 {
				real += nearest(image, k+i) / columns
			}
		}
		k += len(images)
	}
	for i := 2 * columns; i < rows*columns; i++ {
		fresh += nearest(row(i), -1) / ((rows - 2) * columns)
	}
	t.Logf("errors: %.3f a digit, %.3f of the mean; nearest: %.3f to new ones, %.3f to real ones", back/columns, nothing/columns, fresh, real)
	require.Less(t, fresh, 1.3*real)

	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	picture, err := png.Decode(f)
	require.NoError(t, err)
	require.Equal(t, 4*(side+1)*columns, picture.Bounds().Dx())
}
