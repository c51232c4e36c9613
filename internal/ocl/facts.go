package ocl

import (
	"cmp"
	"math"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform"
)

// deviceFacts is what planning needs to know of a device: plain values, so
// that tests can plan for devices that are not there.
type deviceFacts struct {
	name       string
	cpu        bool  // a CPU driver: few wide cores, caches instead of local memory
	units      int   // compute units
	workGroup  int   // largest work-group
	localMem   int64 // bytes
	vector     int   // float lanes
	argBytes   int   // of kernel arguments
	maxAlloc   int64
	cache      int64 // bytes of a CPU's last cache, usualCache where the driver does not know; 0 of GPUs
	fp64       bool
	mma        int      // matrix units: macro MMA_SM of contract/gpu_mma_ptx.cl, or 0
	lanes      int      // of sub-groups as contract/gpu_subgroup_intel.cl has them, or 0
	dot        string   // of dotUnits, or empty: how products of bytes are summed
	dotOptions string   // of the compiler, for it
	registers  string   // option of the compiler, see platform.Caps
	tuned      *overlay // what the tuner has found
	wideBytes  bool     // values of 8 bits are held in variables of 32
	flushes    bool     // numbers below the least normal float become zero
	forceWide  bool     // tests: IDX is long whatever the sizes
}

// usualCache is about the last cache of a processor, or what one of many cores has of it. Virtual machines may
// hide it: PoCL then says that there is none.
const usualCache = 32 << 20

// newFacts describes an opened device. A work-group is never larger than 256
// and a kernel's arguments never need more than 1024 bytes, which every device
// takes; a device that declares less is believed.
func newFacts(d *platform.Device, caps *platform.Caps) *deviceFacts {
	f := &deviceFacts{
		name: d.ID, cpu: d.Class == platform.CPU,
		units: max(d.Units, 1), workGroup: min(max(d.MaxWorkGroup, 1), 256),
		localMem: d.LocalMem, vector: d.VectorWidth,
		argBytes: min(d.ArgBytes, 1024), maxAlloc: d.MaxAlloc, fp64: caps.FP64, mma: caps.MMA, lanes: caps.SubgroupLanes,
		wideBytes: d.WideBytes(), registers: caps.RegisterOptions,
	}
	if f.cpu {
		f.cache = cmp.Or(d.CacheBytes, usualCache)
	}
	if info := d.Info(); info != nil {
		f.flushes = info.SingleFP&cl.FPDenorm == 0
	}
	f.dot, f.dotOptions = dotUnitOf(f.cpu, caps)
	if f.argBytes <= 0 {
		f.argBytes = 256
	}
	if f.maxAlloc <= 0 {
		f.maxAlloc = math.MaxInt64
	}
	return f
}

// asGPU makes f one of a GPU that is like the device in everything else, so that what is planned
// for GPUs runs where there is none.
func (f *deviceFacts) asGPU(caps *platform.Caps) {
	f.cpu, f.cache = false, 0
	f.dot, f.dotOptions = dotUnitOf(false, caps)
}
