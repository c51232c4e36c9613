package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/gallery/gallerytest"
)

// The network is named by ANYCL_ONNX_MNIST.
func TestTheProgramChecksItself(t *testing.T) {
	model := os.Getenv("ANYCL_ONNX_MNIST")
	if model == "" {
		t.Skip("ANYCL_ONNX_MNIST names no file opt-mnist.onnx")
	}
	if _, _, err := digits(); errors.Is(err, fs.ErrNotExist) {
		t.Skip(err)
	}
	gallerytest.Run(t, func(ctx context.Context, p *gallery.Program) error {
		return run(ctx, p, options{model: model, count: 300})
	})
}

func TestAModelMustBeNamed(t *testing.T) {
	t.Parallel()
	p := &gallery.Program{}
	require.ErrorContains(t, run(t.Context(), p, options{}), "-model names no file")
}
