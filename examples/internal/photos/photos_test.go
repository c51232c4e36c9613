package photos

import (
	"image"
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBothPhotosAreWhole(t *testing.T) {
	for name, open := range map[string]func() (image.Image, error){"china": China, "flower": Flower} {
		img, err := open()
		require.NoError(t, err, name)
		require.Equal(t, image.Rect(0, 0, 640, 427), img.Bounds(), name)
		grey := Grey(img, image.Rect(10, 20, 110, 50))
		require.Len(t, grey, 3000, name)
		y := color.YCbCrModel.Convert(img.At(109, 49)).(color.YCbCr).Y
		require.InDelta(t, float64(y)/255, grey[2999], 0.02, name)
	}
}

// A picture of one colour stays it at any size, and its values stand where the layout says.
func TestResizedAndScaled(t *testing.T) {
	t.Parallel()
	img := image.NewRGBA(image.Rect(0, 0, 5, 7))
	for i := range img.Pix {
		img.Pix[i] = []uint8{255, 51, 0, 255}[i%4]
	}
	for _, size := range []image.Point{{2, 3}, {9, 4}} {
		small := Resized(img, image.Rect(1, 1, 5, 6), size.X, size.Y)
		n := size.X * size.Y
		values := Scaled(small, true, [3]float32{2, 2, 2}, [3]float32{-1, -1, -1})
		require.Len(t, values, 3*n)
		for i, want := range []float32{1, -0.6, -1} {
			require.InDelta(t, want, values[i*n], 1e-6)
			require.InDelta(t, want, values[(i+1)*n-1], 1e-6)
		}
		require.InDeltaSlice(t, []float32{1, 0.2, 0}, Scaled(small, false, [3]float32{1, 1, 1}, [3]float32{})[3*n-3:], 1e-6)
	}
}
