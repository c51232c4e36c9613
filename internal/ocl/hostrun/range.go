package hostrun

import (
	"errors"
	"fmt"
	"math"

	"github.com/anycl/anycl/cl"
)

// PartHead makes a kernel see the range that it was written for, where its launch is
// a part of one. All groups then lie along the third dimension of the launch, and its offset there
// is the first of them. The other two offsets say how many there are in the first and in the
// second dimension of the kernel's range; nothing says it of the third.
//
// Any run of groups can be a part in this way, and all launches of a kernel look equal to PoCL, which
// is needed: 3.1 keeps a compiled kernel for the widest launch it has seen in the first
// two dimensions, and for offsets of zero or others. While two launches of one kernel are at work
// that differ in these, it counts the uses of one as uses of the other, and aborts. It also
// compiles for numbers below MaxGroups in all of these places.
// Source: pocl_release_dlhandle_cache in lib/CL/devices/common.c and addRangeMetadataForPCField in
// lib/llvmopencl/Workgroup.cc of PoCL 3.1.
const PartHead = `static inline uint near_groups(uint d) { return (uint)get_global_offset(d); }
static inline uint near_group(uint d) {
    const uint g = (uint)get_global_offset(2) + (uint)get_group_id(2), n = near_groups(0);
    if (g < n) // no division where there is one dimension
        return d == 0 ? g : 0;
    return d == 0 ? g % n : d == 1 ? g / n % near_groups(1) : d == 2 ? g / n / near_groups(1) : 0;
}
#undef get_num_groups
#undef get_global_size
#define get_group_id(d) ((size_t)near_group(d))
#define get_num_groups(d) ((size_t)near_groups(d))
#define get_global_id(d) (get_group_id(d) * get_local_size(d) + get_local_id(d))
#define get_global_size(d) (get_num_groups(d) * get_local_size(d))
#define get_global_offset(d) ((size_t)0)
#line 1
`

// MaxGroups is how many groups a launch on the inline device may have, less one.
const MaxGroups = math.MaxUint16 - 1

// ErrIndivisible is why a launch is left to the driver's threads.
var ErrIndivisible = errors.New("the launch cannot be divided")

// PartRange is r as the inline device is given it, and its groups.
func PartRange(r cl.Range) (parts cl.Range, groups int, err error) {
	parts, groups = cl.Range{Dims: 3}, 1
	for d := range parts.Global {
		parts.Local[d], parts.Offset[d] = 1, 1
		if d < r.Dims {
			parts.Local[d] = r.Local[d]
			if r.Local[0] == 0 { // left to the driver
				parts.Local[d] = localOf(d, r.Global[d])
			}
			parts.Offset[d] = r.Global[d] / parts.Local[d]
		}
		parts.Global[d] = parts.Local[d]
		if parts.Offset[d] > MaxGroups/groups {
			return r, 0, fmt.Errorf("%v: more than %d groups: %w", r.Global[:r.Dims], MaxGroups, ErrIndivisible)
		}
		groups *= parts.Offset[d]
	}
	return part(parts, 0, groups), groups, nil
}

// OneGroup is the part of parts that has its first group alone: a launch for which PoCL takes the same kernel.
func OneGroup(parts cl.Range) cl.Range { return part(parts, 0, 1) }

// localOf is the size of a work-group for n items along dimension d, where nobody says it.
func localOf(d, n int) int {
	local := 1
	for l := 2; d == 0 && l <= min(n, 128); l++ {
		if n%l == 0 {
			local = l
		}
	}
	return local
}

// ownGroups is into how many groups a launch is divided that leaves its work-groups open, if there is
// enough of it for groups of ownGroupLeast.
const ownGroups, ownGroupLeast = 64, 128

// WorkGroup is a work-group of up to most items for r: the first dimensions are filled first, as
// kernels run through memory along them. There are about ownGroups of them, more where the extents have
// few divisors.
func WorkGroup(r cl.Range, most int) (local [3]int) {
	items := 1
	for d := range r.Dims {
		items *= r.Global[d]
	}
	room := min(max(items/ownGroups, ownGroupLeast), max(most, 1))
	local = [3]int{1, 1, 1}
	for d := range r.Dims {
		local[d] = fitting(r.Global[d], room)
		room /= local[d]
	}
	return local
}

// fitting is the largest divisor of n that is at most most.
func fitting(n, most int) int {
	for d := min(n, most); d > 1; d-- {
		if n%d == 0 {
			return d
		}
	}
	return 1
}

// part is the range of groups [first, first+n) of a range that PartRange made.
func part(r cl.Range, first, n int) cl.Range {
	r.Offset[2], r.Global[2] = first, n*r.Local[2]
	return r
}
