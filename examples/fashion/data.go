package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/anycl/anycl/data"
	"github.com/anycl/anycl/examples/internal/idx"
	"github.com/anycl/anycl/tensor"
)

// debianFolder is where Debian's package dataset-fashion-mnist puts the files.
const debianFolder = "/usr/share/datasets/fashion-mnist"

// side is the height and width of an image.
const side = 28

// The files, with the SHA-256 of their unpacked content.
const (
	trainImages = "train-images-idx3-ubyte"
	trainLabels = "train-labels-idx1-ubyte"
	testImages  = "t10k-images-idx3-ubyte"
	testLabels  = "t10k-labels-idx1-ubyte"
)

var sums = map[string]string{
	trainImages: "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
	trainLabels: "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
	testImages:  "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
	testLabels:  "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
}

// set is images [N, 1, 28, 28] of bytes, and their kinds [N], numbers from 0 to 9.
type set struct {
	images, kinds *tensor.Tensor
}

func (s set) len() int { return s.kinds.Len() }

// loader gives batches of numbers of images and their kinds. A remainder that does not fill a batch is left out.
func (s set) loader(seed uint64, shuffle bool) (*data.Loader, error) {
	numbers := make([]int32, s.len())
	for i := range numbers {
		numbers[i] = int32(i)
	}
	all := tensor.Must(tensor.FromSlice(numbers))
	return data.TensorLoader(data.LoaderOptions{Batch: batch, Shuffle: shuffle, Seed: seed, DropLast: true}, all, s.kinds)
}

// load reads the data set; limit, if not 0, cuts both halves to so many images.
func load(folder string, limit int) (train, test set, err error) {
	if train, err = loadSet(folder, trainImages, trainLabels, limit); err != nil {
		return set{}, set{}, err
	}
	test, err = loadSet(folder, testImages, testLabels, limit)
	return train, test, err
}

func loadSet(folder, imageFile, labelFile string, limit int) (s set, err error) {
	read := func(name string) (t *tensor.Tensor) {
		if err == nil {
			t, err = idx.Load(filepath.Join(folder, name), sums[name])
		}
		return t
	}
	s = set{images: read(imageFile), kinds: read(labelFile)}
	if errors.Is(err, fs.ErrNotExist) {
		return s, fmt.Errorf("%w\nto get Fashion-MNIST: apt-get install dataset-fashion-mnist, or download its four"+
			" files from https://github.com/zalandoresearch/fashion-mnist and name their folder with -data", err)
	}
	if err != nil {
		return s, err
	}
	if limit > 0 && limit < s.len() {
		s.images, _ = s.images.Slice(0, 0, limit, 1) // in range
		s.kinds, _ = s.kinds.Slice(0, 0, limit, 1)
	}
	if s.kinds, err = tensor.Cast(s.kinds, tensor.Int64); err == nil {
		s.images, err = s.images.Reshape(-1, 1, side, side)
	}
	return s, err
}
