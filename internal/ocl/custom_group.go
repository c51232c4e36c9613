package ocl

import (
	"fmt"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/ocl/hostrun"
)

// ownGroup chooses the work-group of a caller's own kernel that leaves it open: the one that the kernel's source
// demands, without which OpenCL refuses the launch; else, on a CPU, one along memory, which drivers do not all choose; else
// the driver has the choice.
func (s *sequence) ownGroup(k *cl.Kernel, r *cl.Range) error {
	d := s.runner.target().device
	info, err := k.WorkGroupInfo(d)
	if err != nil {
		return err
	}
	if err := ownGroupFits(*r, info.RequiredSize, d.Info().MaxWorkGroupSize); err != nil || r.Local[0] != 0 {
		return err
	}
	r.Local = info.RequiredSize
	if r.Local[0] == 0 && s.eng.facts.CPU {
		r.Local = hostrun.WorkGroup(*r, min(info.MaxSize, openGroup))
		if r.Local[0]*r.Local[1]*r.Local[2] < openGroup/8 { // extents with few divisors
			r.Local = hostrun.WorkGroup(*r, min(info.MaxSize, 4*openGroup))
		}
	}
	return nil
}

// ownGroupFits returns the error for which a launch would fail later, without a message: another work-group than the one that the
// source demands, or a larger one than the device has. Of what drivers say of a kernel's largest work-group, some err.
func ownGroupFits(r cl.Range, demanded [3]int, most uint64) error {
	if demanded[0] > 0 {
		for d := range r.Dims {
			if r.Local[0] > 0 && r.Local[d] != demanded[d] {
				return fmt.Errorf("the work-group is %v, and the source demands %v (reqd_work_group_size)", r.Local[:r.Dims], demanded[:r.Dims])
			}
			if r.Global[d]%demanded[d] != 0 {
				return fmt.Errorf("%v work-items are not whole work-groups of %v, which the source demands (reqd_work_group_size)", r.Global[:r.Dims],
					demanded[:r.Dims])
			}
		}
	}
	if items := r.Local[0] * max(r.Local[1], 1) * max(r.Local[2], 1); uint64(items) > most {
		return fmt.Errorf("a work-group of %d items, the device takes %d", items, most)
	}
	return nil
}
