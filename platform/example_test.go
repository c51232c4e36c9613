package platform_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform"
)

// Doubles a few numbers on the best device of this machine.
func Example() {
	ctx := context.Background()
	m, err := platform.Discover(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := m.Select("") // or "gpu", "amd:1", "pocl"
	if errors.Is(err, platform.ErrNoDevice) {
		fmt.Println("this machine has no OpenCL device")
		return
	}
	if err := double(ctx, d, []float32{1, 2, 3}); err != nil {
		fmt.Println(err)
	}
}

func double(ctx context.Context, d *platform.Device, x []float32) (err error) {
	dev, err := d.Open(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	mem, err := dev.Alloc(int64(4 * len(x)))
	if err != nil {
		return err
	}
	prog, err := dev.Program(ctx, "double.cl", `
kernel void twice(global float *x)
{
    size_t i = get_global_id(0);
    x[i] = 2.0f * x[i];
}`, "")
	if err != nil {
		return err
	}
	twice, err := prog.Kernel("twice")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, twice.Close()) }()
	if err := dev.Write(ctx, mem, 0, cl.Bytes(x)); err != nil {
		return err
	}
	if err := twice.SetBuffer(0, mem.Buffer()); err != nil {
		return err
	}
	if err := dev.Queue().Launch(twice, cl.Range1(len(x), 0), nil); err != nil {
		return err
	}
	if err := dev.Read(ctx, cl.Bytes(x), mem, 0); err != nil {
		return err
	}
	fmt.Println(x)
	return nil
}
