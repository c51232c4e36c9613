package peers

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// device is an OpenCL device with a context and a queue of its own, whose handles
// libraries of C can be given.
type device struct {
	lib            uintptr
	id             uintptr
	context, queue uintptr
	name           string
}

const (
	clDeviceAll    = 0xffffffff
	clDeviceName   = 0x102b
	clReadWrite    = 1
	clTrue         = 1
	maxCLPlatforms = 16
)

// openDevice opens the device of that name.
func openDevice(name string) (*device, error) {
	lib, _, err := open("ANYCL_OPENCL_LIBRARY", "libOpenCL.so.1", "libOpenCL.so", "/System/Library/Frameworks/OpenCL.framework/OpenCL")
	if err != nil {
		return nil, err
	}
	d := &device{lib: lib, name: name}
	platforms, ids := make([]uintptr, maxCLPlatforms), make([]uintptr, maxCLPlatforms)
	var n uint32
	if err := d.call("clGetPlatformIDs", maxCLPlatforms, uintptr(unsafe.Pointer(&platforms[0])), uintptr(unsafe.Pointer(&n))); err != nil {
		return nil, err
	}
	for _, p := range platforms[:min(n, maxCLPlatforms)] {
		var count uint32
		if d.call("clGetDeviceIDs", p, clDeviceAll, maxCLPlatforms, uintptr(unsafe.Pointer(&ids[0])), uintptr(unsafe.Pointer(&count))) != nil {
			continue // a platform without devices
		}
		for _, id := range ids[:min(count, maxCLPlatforms)] {
			text := make([]byte, 1024)
			if err := d.call("clGetDeviceInfo", id, clDeviceName, uintptr(len(text)), uintptr(unsafe.Pointer(&text[0])), 0); err != nil {
				return nil, err
			}
			if goString(uintptr(unsafe.Pointer(&text[0]))) == name {
				d.id = id
			}
			runtime.KeepAlive(text)
		}
	}
	if d.id == 0 {
		return nil, fmt.Errorf("peers: there is no OpenCL device %q", name)
	}
	if d.context, err = d.make("clCreateContext", 0, 1, uintptr(unsafe.Pointer(&d.id)), 0, 0); err != nil {
		return nil, err
	}
	d.queue, err = d.make("clCreateCommandQueue", d.context, d.id, 0)
	return d, err
}

// call calls a function that returns a status.
//
//go:uintptrescapes
func (d *device) call(name string, args ...uintptr) error {
	f, err := purego.Dlsym(d.lib, name)
	if err != nil {
		return err
	}
	if r, _, _ := purego.SyscallN(f, args...); int32(r) != 0 {
		return fmt.Errorf("%s: OpenCL error %d", name, int32(r))
	}
	return nil
}

// make calls a function that returns a handle and, by its last argument, a status.
//
//go:uintptrescapes
func (d *device) make(name string, args ...uintptr) (uintptr, error) {
	f, err := purego.Dlsym(d.lib, name)
	if err != nil {
		return 0, err
	}
	status := new(int32)
	r, _, _ := purego.SyscallN(f, append(args, uintptr(unsafe.Pointer(status)))...)
	if *status != 0 {
		return 0, fmt.Errorf("%s: OpenCL error %d", name, *status)
	}
	return r, nil
}

// buffer makes one with these bytes in it.
func (d *device) buffer(data []byte) (uintptr, error) {
	b, err := d.make("clCreateBuffer", d.context, clReadWrite, uintptr(len(data)), 0)
	if err != nil {
		return 0, err
	}
	return b, d.call("clEnqueueWriteBuffer", d.queue, b, clTrue, 0, uintptr(len(data)), uintptr(unsafe.Pointer(unsafe.SliceData(data))), 0, 0,
		0)
}

// read copies a buffer to data.
func (d *device) read(b uintptr, data []byte) error {
	return d.call("clEnqueueReadBuffer", d.queue, b, clTrue, 0, uintptr(len(data)), uintptr(unsafe.Pointer(unsafe.SliceData(data))), 0, 0, 0)
}

func (d *device) close() {
	_ = d.call("clReleaseCommandQueue", d.queue) // at the end: nothing follows
	_ = d.call("clReleaseContext", d.context)
}
