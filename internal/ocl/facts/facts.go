// Package facts holds the facts about a device that planning needs: plain values, so that programs
// can be written for devices that the machine lacks.
package facts

import (
	"cmp"
	"math"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform"
)

// Device holds the facts about a device that planning needs: plain values, so that tests can plan
// for devices that the machine lacks.
type Device struct {
	Name             string
	CPU              bool  // a CPU driver: few wide cores, caches instead of local memory
	Units            int   // compute units
	WorkGroup        int   // largest work-group
	LocalMem         int64 // bytes
	VectorLanes      int   // float lanes
	ArgBytes         int   // of kernel arguments
	MaxAlloc         int64
	Cache            int64 // bytes of a CPU's last cache, usualCache where the driver does not know; 0 of GPUs
	FP64             bool
	MMA              int    // matrix units: macro MMA_SM of contract/gpu_mma_ptx.cl, or 0
	SubgroupLanes    int    // of sub-groups as contract/gpu_subgroup_intel.cl has them, or 0
	DotUnit          string // of DotUnits, or empty: how products of bytes are summed
	DotOptions       string // of the compiler, for it
	RegisterOptions  string // option of the compiler, see platform.Caps
	RegisterCap      string // the same
	WideBytes        bool   // values of 8 bits are held in variables of 32
	FlushesDenormals bool   // numbers below the least normal float become zero
	Unoptimized      bool   // programs are compiled as fast as the driver can
	OptimizedOnce    string // options of the compiler, see platform.Device
	BodiesApart      bool   // the driver writes kernels out several times: what they do is a function
	ForceWide        bool   // tests: IDX is long whatever the sizes
}

// usualCache is about the size of a processor's last-level cache, or of the share of it that one of many cores
// has. Virtual machines may hide it: PoCL then says that there is none.
const usualCache = 32 << 20

// shareOfCache is what a core may hold of the last cache. A virtual machine with few cores of a large processor is told of all of its
// cache, which others fill as well.
const shareOfCache = 16 << 20

// New describes an opened device. A work-group is never larger than 256
// and a kernel's arguments never need more than 1024 bytes, which every device
// takes; a device that declares less is believed.
func New(d *platform.Device, caps *platform.Caps) *Device {
	f := &Device{
		Name: d.ID, CPU: d.Class == platform.CPU,
		Units: max(d.Units, 1), WorkGroup: min(max(d.MaxWorkGroup, 1), 256),
		LocalMem: d.LocalMem, VectorLanes: d.VectorWidth,
		ArgBytes: min(d.ArgBytes, 1024), MaxAlloc: d.MaxAlloc, FP64: caps.FP64, MMA: caps.MMA, SubgroupLanes: caps.SubgroupLanes,
		WideBytes: d.WideBytes(), OptimizedOnce: d.OptimizedOnce(), BodiesApart: d.BodiesApart(), RegisterOptions: caps.RegisterOptions,
		RegisterCap: caps.RegisterCap,
	}
	if f.CPU {
		f.Cache = min(cmp.Or(d.CacheBytes, usualCache), max(int64(f.Units)*shareOfCache, usualCache))
	}
	if info := d.Info(); info != nil {
		f.FlushesDenormals = info.SingleFP&cl.FPDenorm == 0
	}
	f.DotUnit, f.DotOptions = dotUnitOf(f.CPU, caps)
	if f.ArgBytes <= 0 {
		f.ArgBytes = 256
	}
	if f.MaxAlloc <= 0 {
		f.MaxAlloc = math.MaxInt64
	}
	return f
}

// AsGPU makes f one of a GPU that is like the device in everything else, so that plans for GPUs run
// on machines without one.
func (f *Device) AsGPU(caps *platform.Caps) {
	f.CPU, f.Cache = false, 0
	f.DotUnit, f.DotOptions = dotUnitOf(false, caps)
}

// Bytes of a kernel's arguments: a pointer and an offset for each operand; scratch, table
// and run come on top. Numbers that find no room go in the table.
const operandBytes, otherBytes = 16, 64

// ArgumentBytes is the size of the arguments of a kernel with the given number of operands.
func ArgumentBytes(operands int) int { return operandBytes*operands + otherBytes }

// Operands is how many a kernel's arguments have room for.
func (f *Device) Operands() int { return (f.ArgBytes - otherBytes) / operandBytes }
