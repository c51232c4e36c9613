package cl

import "github.com/anycl/anycl/internal/cldriver"

// Range is the index space of a launch: Dims dimensions, of which the first
// varies fastest. Local all zero leaves the work-group size to the driver; else
// each Global must be a multiple of its Local, unless the kernel was built for
// non-uniform work-groups.
type Range struct {
	Dims                  int
	Offset, Global, Local [3]int
}

// Range1 is the one-dimensional range of global items in groups of local; local 0
// leaves the group size to the driver.
func Range1(global, local int) Range {
	return Range{Dims: 1, Global: [3]int{global}, Local: [3]int{local}}
}

// Range2 is the two-dimensional range.
func Range2(global, local [2]int) Range {
	return Range{Dims: 2, Global: [3]int{global[0], global[1]}, Local: [3]int{local[0], local[1]}}
}

// Launch enqueues the kernel with its present arguments over r. It allocates
// nothing and returns no event.
//
// Errors: InvalidKernelArgs when an argument was never set, ErrClosed when one
// was closed since, InvalidWorkGroupSize or InvalidWorkItemSize for a range that
// the device refuses (drivers differ in which).
func (q *Queue) Launch(k *Kernel, r Range, wait []*Event) error {
	c, err := q.launch(k, r)
	if err != nil {
		return err
	}
	err = q.submit(c, wait, k.args, k.obj)
	q.obj.lib.recycle(c)
	if err != nil {
		return detail(err, "%s, %+v", k.name, r)
	}
	return nil
}

// LaunchEvent is Launch with an event.
func (q *Queue) LaunchEvent(k *Kernel, r Range, wait []*Event) (*Event, error) {
	c, err := q.launch(k, r)
	if err != nil {
		return nil, err
	}
	e, err := q.runEvent(c, wait, nil, k.args, k.obj)
	if err != nil {
		return nil, detail(err, "%s, %+v", k.name, r)
	}
	return e, nil
}

func (q *Queue) launch(k *Kernel, r Range) (*cldriver.Command, error) {
	if k == nil {
		return nil, invalid("launch", InvalidKernel, "nil kernel")
	}
	if err := r.check(); err != nil {
		return nil, detail(err, "%s, %+v", k.name, r)
	}
	c := q.command(cldriver.OpLaunch)
	if r.empty() {
		c.Op = cldriver.OpMarker // OpenCL before 2.1 refuses an empty range
	}
	r.fill(c)
	c.Object = k.obj.h
	return c, nil
}

func (r *Range) check() error {
	if r.Dims < 1 || r.Dims > 3 {
		return &Error{Op: "launch", Status: InvalidWorkDimension}
	}
	for i := range r.Dims {
		switch {
		case r.Global[i] < 0:
			return &Error{Op: "launch", Status: InvalidGlobalWorkSize}
		case r.Local[i] < 0, (r.Local[i] == 0) != (r.Local[0] == 0):
			return &Error{Op: "launch", Status: InvalidWorkGroupSize}
		case r.Offset[i] < 0:
			return &Error{Op: "launch", Status: InvalidGlobalOffset}
		}
	}
	return nil
}

func (r *Range) empty() bool {
	for i := range r.Dims {
		if r.Global[i] == 0 {
			return true
		}
	}
	return false
}

func (r *Range) fill(c *cldriver.Command) {
	c.Dims = uint32(r.Dims)
	for i := range r.Dims {
		c.A[i], c.B[i], c.C[i] = uintptr(r.Offset[i]), uintptr(r.Global[i]), uintptr(r.Local[i])
	}
}
