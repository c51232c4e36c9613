// Package gallerytest runs the programs of the gallery in tests.
package gallerytest

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Run runs a program, which should be given little to do, on the device of this machine, if there is one, with the CPU path
// beside it, and on the CPU path alone. It must check something, and every check must hold. It returns the output of the CPU path.
func Run(t *testing.T, run func(context.Context, *gallery.Program) error) (printed string) {
	t.Helper()
	for _, device := range []string{"", "none"} {
		name := "device"
		if device == "none" {
			name = "cpu path"
		}
		t.Run(name, func(t *testing.T) {
			if device == "" {
				rt, err := ops.Open(t.Context(), nil)
				require.NoError(t, err)
				defer rt.Close()
				if rt.Device() == nil {
					t.Skip("there is no OpenCL device")
				}
			}
			printed = RunOn(t, device, run)
		})
	}
	return printed
}

// RunOn is Run on one device, "none" for the CPU path alone.
func RunOn(t *testing.T, device string, run func(context.Context, *gallery.Program) error) (printed string) {
	t.Helper()
	var out, progress bytes.Buffer
	p := &gallery.Program{
		Name: "test", Device: device, Quick: true, Out: filepath.Join(t.TempDir(), "picture.png"),
		Stdout: &out, Stderr: &progress,
	}
	require.NoError(t, p.Run(t.Context(), run), "%s", &out)
	require.NotEmpty(t, p.Checks(), "the program checks nothing")
	return out.String()
}

// Compute runs the graph of the outputs once.
func Compute(t *testing.T, rt *ops.Runtime, place ops.Place, feeds ops.Feeds, outputs ...*ops.Node) []*tensor.Tensor {
	t.Helper()
	exe, err := outputs[0].Graph().Compile(t.Context(), rt, ops.Target{Outputs: outputs, Place: place})
	require.NoError(t, err)
	out, err := exe.Run(t.Context(), feeds)
	require.NoError(t, err)
	return out
}

// Places are the CPU path, and the device where a runtime has one.
func Places(rt *ops.Runtime) []ops.Place {
	if rt.Device() == nil {
		return []ops.Place{ops.OnCPU}
	}
	return []ops.Place{ops.OnCPU, ops.OnDevice}
}
