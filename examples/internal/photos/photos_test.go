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
