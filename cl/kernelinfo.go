package cl

import "github.com/anycl/anycl/internal/cldriver"

// AddressSpace is where a kernel's argument points to.
type AddressSpace uint32

// Address spaces.
const (
	SpaceGlobal   AddressSpace = 0x119B
	SpaceLocal    AddressSpace = 0x119C
	SpaceConstant AddressSpace = 0x119D
	SpacePrivate  AddressSpace = 0x119E
)

// AccessKind is the way in which a kernel accesses an image argument.
type AccessKind uint32

// Image access.
const (
	AccessReadOnly  AccessKind = 0x11A0
	AccessWriteOnly AccessKind = 0x11A1
	AccessReadWrite AccessKind = 0x11A2
	AccessNone      AccessKind = 0x11A3
)

// TypeQualifiers are the qualifiers of a pointer argument's target.
type TypeQualifiers uint64

// Type qualifiers.
const (
	QualifierConst    TypeQualifiers = 1 << 0
	QualifierRestrict TypeQualifiers = 1 << 1
	QualifierVolatile TypeQualifiers = 1 << 2
	QualifierPipe     TypeQualifiers = 1 << 3
)

// ArgInfo describes an argument as the source declares it.
type ArgInfo struct {
	Name       string
	Type       string // as "float*"
	Space      AddressSpace
	Access     AccessKind
	Qualifiers TypeQualifiers
}

// ArgInfo describes argument i. Errors: KernelArgInfoNotAvailable, unless the
// program was built from source with -cl-kernel-arg-info (some drivers keep it
// anyway); InvalidArgIndex.
func (k *Kernel) ArgInfo(i int) (ArgInfo, error) {
	const op = "kernel argument info"
	var a ArgInfo
	if i < 0 || i >= len(k.args) {
		return a, invalid(op, InvalidArgIndex, "%s, argument %d of %d", k.name, i, len(k.args))
	}
	if !k.obj.use() {
		return a, closed(op, "kernel")
	}
	defer k.obj.done()
	q := query{k.obj.lib, cldriver.QueryKernelArg, k.obj.h, uintptr(i)}
	space, st := q.uint(0x1196)
	if err := check(st, op, k.name); err != nil {
		return a, err
	}
	access, _ := q.uint(0x1197)
	qualifiers, _ := q.uint(0x1199)
	return ArgInfo{
		Name: q.text(0x119A), Type: q.text(0x1198), Space: AddressSpace(space),
		Access: AccessKind(access), Qualifiers: TypeQualifiers(qualifiers),
	}, nil
}

// WorkGroupInfo holds a device's answers to queries about a kernel. Drivers err in both directions (rusticl
// reports work-groups of 32 for kernels that run with 256, PoCL 6 no local memory): probe what matters.
type WorkGroupInfo struct {
	MaxSize          int    // items in a work-group
	RequiredSize     [3]int // of reqd_work_group_size, all zero if absent
	SizeMultiple     int    // preferred
	LocalMemBytes    int64  // used, with the sizes given to SetLocal
	PrivateMemBytes  int64  // per item
	SpillMemBytes    int64  // Intel only
	HasSpillMemBytes bool
}

// WorkGroupInfo returns the resources that the kernel needs on d.
func (k *Kernel) WorkGroupInfo(d *Device) (WorkGroupInfo, error) {
	const op = "kernel work-group info"
	var w WorkGroupInfo
	if d == nil {
		return w, invalid(op, InvalidDevice, "nil device")
	}
	if !k.obj.use() {
		return w, closed(op, "kernel")
	}
	defer k.obj.done()
	q := query{k.obj.lib, cldriver.QueryKernelWorkGroup, k.obj.h, uintptr(d.h)}
	size, st := q.uint(0x11B0)
	if err := check(st, op, k.name); err != nil {
		return w, err
	}
	w.MaxSize = int(size)
	required, _ := q.bytes(0x11B1)
	for i, n := range integers(required) {
		if i < len(w.RequiredSize) {
			w.RequiredSize[i] = int(n)
		}
	}
	n, _ := q.uint(0x11B2)
	w.LocalMemBytes = int64(n)
	n, _ = q.uint(0x11B3)
	w.SizeMultiple = int(n)
	n, _ = q.uint(0x11B4)
	w.PrivateMemBytes = int64(n)
	if d.HasExtension("cl_intel_required_subgroup_size") {
		n, st = q.uint(0x4109)
		w.SpillMemBytes, w.HasSpillMemBytes = int64(n), st >= 0
	}
	return w, nil
}

// SubgroupInfo is how a device runs a kernel in work-groups of one size.
type SubgroupInfo struct {
	MaxSize int // items in the largest sub-group
	Count   int // sub-groups in a work-group
}

// SubgroupInfo asks how d divides work-groups of the size given, of 1 to 3
// dimensions, into sub-groups. Errors: ErrUnsupported where the device reports
// no sub-groups (MaxSubgroups 0) or the library lacks the function.
func (k *Kernel) SubgroupInfo(d *Device, local ...int) (SubgroupInfo, error) {
	const op = "kernel sub-group info"
	var s SubgroupInfo
	if d == nil {
		return s, invalid(op, InvalidDevice, "nil device")
	}
	if len(local) < 1 || len(local) > 3 {
		return s, invalid(op, InvalidWorkDimension, "%s, local %v", k.name, local)
	}
	if d.Info().MaxSubgroups == 0 {
		return s, unsupported(op)
	}
	if !k.obj.use() {
		return s, closed(op, "kernel")
	}
	defer k.obj.done()
	sizes := make([]uintptr, len(local))
	for i, n := range local {
		sizes[i] = uintptr(n)
	}
	drv := k.obj.lib.drv
	size, st := drv.SubgroupInfo(k.obj.h, d.h, 0x2033, sizes)
	if err := check(st, op, k.name); err != nil {
		return s, err
	}
	n, st := drv.SubgroupInfo(k.obj.h, d.h, 0x2034, sizes)
	if err := check(st, op, k.name); err != nil {
		return s, err
	}
	return SubgroupInfo{MaxSize: int(size), Count: int(n)}, nil
}
