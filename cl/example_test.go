package cl_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
)

// Doubles four numbers on the first device found.
func Example() {
	lib, err := cl.Default()
	if err != nil {
		fmt.Println(err) // names every library that was tried
		return
	}
	platforms, err := lib.Platforms()
	if err != nil || len(platforms) == 0 {
		return
	}
	devices, err := platforms[0].Devices(cl.DeviceAll)
	if err != nil || len(devices) == 0 {
		return
	}
	if err := double(lib, devices[0], []float32{1, 2, 3, 4}); err != nil {
		fmt.Println(err)
	}
}

func double(lib *cl.Library, dev *cl.Device, x []float32) error {
	ctx, err := lib.NewContext(dev)
	if err != nil {
		return err
	}
	defer ctx.Close()
	queue, err := ctx.NewQueue(dev, cl.QueueOptions{})
	if err != nil {
		return err
	}
	defer queue.Close()
	prog, err := ctx.NewProgram(`kernel void twice(global float *x) { x[get_global_id(0)] *= 2; }`)
	if err != nil {
		return err
	}
	defer prog.Close()
	if err := prog.Build("-cl-std=CL1.2"); err != nil {
		return err // a *cl.BuildError with the log
	}
	kernel, err := prog.Kernel("twice")
	if err != nil {
		return err
	}
	defer kernel.Close()
	buf, err := ctx.NewBuffer(cl.MemReadWrite, int64(4*len(x)), nil)
	if err != nil {
		return err
	}
	defer buf.Close()
	if err := queue.Write(buf, 0, cl.Bytes(x), nil); err != nil {
		return err
	}
	if err := kernel.SetBuffer(0, buf); err != nil {
		return err
	}
	if err := queue.Launch(kernel, cl.Range1(len(x), 0), nil); err != nil {
		return err
	}
	return queue.Read(buf, 0, cl.Bytes(x), nil)
}

func TestExampleDoubles(t *testing.T) {
	lib := openLibrary(t, nil)
	x := []float32{1, -2, 0.5, 4}
	require.NoError(t, double(lib, anyDevice(t, lib), x))
	require.Equal(t, []float32{2, -4, 1, 8}, x)
}
