package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // photographs are
	_ "image/png"  // others are
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/anycl/anycl/tensor"
)

// scene has the files that models are run on; files that are not named default to those that the examples fetch.
type scene struct{ photo, page, speech, digits string }

// fetched are files that the examples have fetched, by a pattern of their names.
func fetched(pattern string) []string {
	var files []string
	if dir := os.Getenv("ANYCL_DATA"); dir != "" {
		files, _ = filepath.Glob(filepath.Join(dir, pattern)) // the patterns are right
	}
	if dir, err := os.UserCacheDir(); err == nil {
		more, _ := filepath.Glob(filepath.Join(dir, "anycl", "data", "*", pattern))
		files = append(files, more...)
	}
	return files
}

// file is the content of a file, or of one that was fetched, or that a package of Debian installs.
func file(path, name, installed string) ([]byte, error) {
	for _, p := range append(append([]string{path}, fetched(name)...), installed) {
		if p == "" {
			continue
		}
		b, err := os.ReadFile(p)
		if err == nil || p == path || !errors.Is(err, fs.ErrNotExist) {
			return b, err
		}
	}
	return nil, fmt.Errorf("%s is not there: go run ./examples/fetch %s", name, name)
}

func (s *scene) picture(path, name string) (image.Image, error) {
	b, err := file(path, name, "/usr/lib/python3/dist-packages/skimage/data/"+name)
	if err != nil {
		return nil, err
	}
	p, _, err := image.Decode(bytes.NewReader(b))
	return p, err
}

// scale maps a colour, 0 to 255, to a network's input.
type scale func(channel int, v float64) float64

func asIs(_ int, v float64) float64   { return v }
func signed(_ int, v float64) float64 { return v/127.5 - 1 }
func byImageNet(c int, v float64) float64 {
	return (v/255 - []float64{0.485, 0.456, 0.406}[c]) / []float64{0.229, 0.224, 0.225}[c]
}

// pixels is a part of a picture at another size, with channels first or last. A fourth channel is 1.
func pixels(p image.Image, part image.Rectangle, shape []int, first bool, f scale) *tensor.Tensor {
	channels, h, w := shape[1], shape[2], shape[3]
	if !first {
		h, w, channels = shape[1], shape[2], shape[3]
	}
	t := tensor.Must(tensor.New(tensor.Float32, shape...))
	for y := range h {
		for x := range w {
			for c := range channels {
				v := 1.0
				if c < 3 {
					v = f(c, mean(p, part, y, h, x, w, c))
				}
				at := (y*w+x)*channels + c
				if first {
					at = (c*h+y)*w + x
				}
				t.SetFloat64(at, v)
			}
		}
	}
	return t
}

// mean is that of the pixels of a part which one of w x h covers.
func mean(p image.Image, part image.Rectangle, y, h, x, w, channel int) float64 {
	y0, x0 := part.Min.Y+y*part.Dy()/h, part.Min.X+x*part.Dx()/w
	sum, n := 0.0, 0.0
	for v := y0; v < max(y0+1, part.Min.Y+(y+1)*part.Dy()/h); v++ {
		for u := x0; u < max(x0+1, part.Min.X+(x+1)*part.Dx()/w); u++ {
			r, g, b, _ := p.At(u, v).RGBA()
			sum += float64([]uint32{r, g, b}[channel]) / 257
			n++
		}
	}
	return sum / n
}

// kind says by the name of a model which inputs it reads.
type kind struct {
	name   *regexp.Regexp
	inputs func(*scene, *agreement) (map[string]*tensor.Tensor, error)
}

var kinds = []kind{
	{regexp.MustCompile("(?i)mnist"), (*scene).digit},
	{regexp.MustCompile("^face_detection"), photo(false, 0, 0, signed)},
	{regexp.MustCompile("^mlsd"), photo(false, 0, 0, asIs)},
	{regexp.MustCompile("^mnet"), photo(true, 0, 0, asIs)},
	{regexp.MustCompile("_det_infer"), page(192, 384, image.Rectangle{}, byImageNet)},
	{regexp.MustCompile("_rec_infer"), page(48, 576, line, signed)},
	{regexp.MustCompile("_cls_infer"), page(48, 192, line, signed)},
	{regexp.MustCompile("^silero"), (*scene).voice},
	{regexp.MustCompile("^melspectrogram"), (*scene).sound},
	{regexp.MustCompile("^(moonshine_)?encoder"), (*scene).sound},
	{regexp.MustCompile("^embedding_model"), (*scene).spectrum},
	{regexp.MustCompile("^(moonshine_)?decoder"), (*scene).tokens},
}

// line is where a line of text stands on page.png.
var line = image.Rect(0, 30, 384, 62)

func (s *scene) inputs(a *agreement) (map[string]*tensor.Tensor, error) {
	for _, k := range kinds {
		if k.name.MatchString(a.name) {
			return k.inputs(s, a)
		}
	}
	return nil, errors.New("its name does not tell what it reads")
}

// single are inputs of a model that has one.
func single(a *agreement, t *tensor.Tensor) map[string]*tensor.Tensor {
	return map[string]*tensor.Tensor{a.m.Inputs()[0].Name: t}
}

// sized is the shape of the only input, with numbers for open extents.
func sized(a *agreement, h, w int) []int {
	var shape []int
	for i, d := range a.m.Inputs()[0].Shape {
		if d < 0 {
			d = []int{1, 3, h, w}[i]
		}
		shape = append(shape, d)
	}
	return shape
}

func photo(first bool, h, w int, f scale) func(*scene, *agreement) (map[string]*tensor.Tensor, error) {
	return func(s *scene, a *agreement) (map[string]*tensor.Tensor, error) {
		p, err := s.picture(s.photo, "astronaut.png")
		if err != nil {
			return nil, err
		}
		return single(a, pixels(p, p.Bounds(), sized(a, h, w), first, f)), nil
	}
}

func page(h, w int, part image.Rectangle, f scale) func(*scene, *agreement) (map[string]*tensor.Tensor, error) {
	return func(s *scene, a *agreement) (map[string]*tensor.Tensor, error) {
		p, err := s.picture(s.page, "page.png")
		if err != nil {
			return nil, err
		}
		if part = part.Intersect(p.Bounds()); part.Empty() {
			part = p.Bounds()
		}
		return single(a, pixels(p, part, sized(a, h, w), true, f)), nil
	}
}

// digit is the first image of MNIST, 0 to 255.
func (s *scene) digit(a *agreement) (map[string]*tensor.Tensor, error) {
	b, err := file(s.digits, "t10k-images-idx3-ubyte", "")
	if err != nil {
		return nil, err
	}
	const header, size = 16, 28 * 28
	if len(b) < header+size || binary.BigEndian.Uint32(b) != 0x803 {
		return nil, errors.New("not the images of MNIST")
	}
	t := tensor.Must(tensor.New(tensor.Float32, 1, 1, 28, 28))
	for i := range size {
		t.SetFloat64(i, float64(b[header+i]))
	}
	return single(a, t), nil
}

// samples are a part of the sentence; n = 0 is all after from.
func (s *scene) samples(from, n int) ([]float32, error) {
	const name = "sense_and_sensibility_01_austen_64kb-0870.wav"
	b, err := file(s.speech, name, "/usr/share/pocketsphinx/test/data/librivox/"+name)
	if err != nil {
		return nil, err
	}
	const header = 44
	if b = b[min(header, len(b)):]; len(b) < 2*(from+n) {
		return nil, fmt.Errorf("a recording of %d samples is too short", len(b)/2)
	}
	sound := make([]float32, cmp.Or(n, len(b)/2-from))
	for i := range sound {
		sound[i] = float32(int16(binary.LittleEndian.Uint16(b[2*(from+i):]))) / 32768
	}
	return sound, nil
}
