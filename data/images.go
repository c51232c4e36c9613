package data

import (
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // JPEG files can be read
	_ "image/png"  // PNG files can be read
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/anycl/anycl/tensor"
)

// ImageOptions say what [Images] makes of files.
type ImageOptions struct {
	Height, Width int  // of every image; others are scaled to it
	Grey          bool // one channel, the luminance, in place of red, green and blue
}

// ImageFolder is a data set of the images in the folders of a folder, one for each class.
type ImageFolder struct {
	Classes []string // the names of the folders, sorted
	Files   []string // by example
	labels  []int64
	o       ImageOptions
}

// Images finds the PNG and JPEG files in the folders of dir, and below. An example is the image, uint8 [channels,
// Height, Width], and the number of its class, int64; the order is that of the classes, and of the files by name. Files are read
// when a batch is made. An image of another size is scaled, each axis on its own, so that a pixel is a weighted mean of what it covers
// where it shrinks, and interpolated linearly where it grows. Errors: there are none; sizes below 1.
func Images(dir string, o ImageOptions) (*ImageFolder, error) {
	if o.Height < 1 || o.Width < 1 {
		return nil, fmt.Errorf("data: images of %d x %d pixels", o.Height, o.Width)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	d := &ImageFolder{o: o}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		var files []string
		err := filepath.WalkDir(filepath.Join(dir, e.Name()), func(path string, f fs.DirEntry, err error) error {
			if err == nil && f.Type().IsRegular() && slices.Contains([]string{".png", ".jpg", ".jpeg"}, strings.ToLower(filepath.Ext(path))) {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("data: %w", err)
		}
		if len(files) == 0 {
			continue
		}
		for range files {
			d.labels = append(d.labels, int64(len(d.Classes)))
		}
		d.Classes, d.Files = append(d.Classes, e.Name()), append(d.Files, files...)
	}
	if len(d.Files) == 0 {
		return nil, fmt.Errorf("data: there are no PNG or JPEG files in folders of %s", dir)
	}
	return d, nil
}

// Len is how many images there are.
func (d *ImageFolder) Len() int { return len(d.Files) }

// Fields are the image and its class.
func (d *ImageFolder) Fields() []Field {
	return []Field{{tensor.Uint8, []int{d.channels(), d.o.Height, d.o.Width}}, {tensor.Int64, nil}}
}

func (d *ImageFolder) channels() int {
	if d.o.Grey {
		return 1
	}
	return 3
}

// Read decodes images. Errors: a file that cannot be read or decoded, by its name.
func (d *ImageFolder) Read(numbers []int, into []*tensor.Tensor) error {
	pixels, _ := into[0].Bytes()
	size := d.channels() * d.o.Height * d.o.Width
	for row, i := range numbers {
		if err := d.decode(d.Files[i], pixels[row*size:(row+1)*size]); err != nil {
			return fmt.Errorf("data: %s: %w", d.Files[i], err)
		}
		into[1].SetFloat64(row, float64(d.labels[i]))
	}
	return nil
}

func (d *ImageFolder) decode(path string, dst []byte) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	img, _, err := image.Decode(f)
	if err != nil {
		return err
	}
	b := img.Bounds()
	if b.Empty() {
		return errors.New("the image has no pixels")
	}
	planes := make([][]float64, d.channels())
	for c := range planes {
		planes[c] = make([]float64, b.Dx()*b.Dy())
	}
	at := 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, bl, _ := img.At(x, y).RGBA()
			if d.o.Grey { // ITU-R BT.601, as JPEG has it
				planes[0][at] = (0.299*float64(r) + 0.587*float64(g) + 0.114*float64(bl)) / 257
			} else {
				planes[0][at], planes[1][at], planes[2][at] = float64(r)/257, float64(g)/257, float64(bl)/257
			}
			at++
		}
	}
	for c, plane := range planes {
		scaled := scale(plane, b.Dy(), b.Dx(), d.o.Height, d.o.Width)
		for i, v := range scaled {
			dst[c*len(scaled)+i] = uint8(math.Round(min(max(v, 0), 255)))
		}
	}
	return nil
}

// scale resamples rows and then columns with a triangle as wide as a pixel of the coarser side.
func scale(src []float64, h, w, toH, toW int) []float64 {
	wide := make([]float64, h*toW)
	across := weights(w, toW)
	for y := range h {
		for x, taps := range across {
			for _, t := range taps {
				wide[y*toW+x] += t.weight * src[y*w+t.at]
			}
		}
	}
	dst := make([]float64, toH*toW)
	for y, taps := range weights(h, toH) {
		for x := range toW {
			for _, t := range taps {
				dst[y*toW+x] += t.weight * wide[t.at*toW+x]
			}
		}
	}
	return dst
}

type tap struct {
	at     int
	weight float64
}

// weights are, for each of to pixels, those of from that it is made of.
func weights(from, to int) [][]tap {
	all := make([][]tap, to)
	ratio := float64(from) / float64(to)
	reach := max(ratio, 1)
	for i := range all {
		centre := (float64(i)+0.5)*ratio - 0.5
		sum := 0.0
		for k := int(math.Ceil(centre - reach)); float64(k) <= centre+reach; k++ {
			v := 1 - math.Abs(float64(k)-centre)/reach
			if v <= 0 || k < 0 || k >= from {
				continue
			}
			all[i] = append(all[i], tap{k, v})
			sum += v
		}
		for k := range all[i] {
			all[i][k].weight /= sum
		}
	}
	return all
}
