package cl

// DeviceType selects devices by kind; combine with |.
type DeviceType uint64

// Kinds of devices.
const (
	DeviceDefault     DeviceType = 1 << 0
	DeviceCPU         DeviceType = 1 << 1
	DeviceGPU         DeviceType = 1 << 2
	DeviceAccelerator DeviceType = 1 << 3
	DeviceCustom      DeviceType = 1 << 4
	DeviceAll         DeviceType = 0xFFFFFFFF
)

// String names the kinds, as "GPU" or "CPU|default".
func (t DeviceType) String() string {
	if t == DeviceAll {
		return "all"
	}
	return bitNames(uint64(t), "default", "CPU", "GPU", "accelerator", "custom")
}

// MemFlags say how kernels and the host use a memory object.
type MemFlags uint64

// Memory flags.
const (
	MemReadWrite    MemFlags = 1 << 0
	MemWriteOnly    MemFlags = 1 << 1 // kernels only write
	MemReadOnly     MemFlags = 1 << 2 // kernels only read
	MemUseHostPtr   MemFlags = 1 << 3 // the host memory given is the storage; it must outlive the object
	MemAllocHostPtr MemFlags = 1 << 4 // storage that the host can map cheaply
	MemCopyHostPtr  MemFlags = 1 << 5 // filled from the host memory given
	// The host's access; default is both.
	MemHostWriteOnly MemFlags = 1 << 7
	MemHostReadOnly  MemFlags = 1 << 8
	MemHostNoAccess  MemFlags = 1 << 9
	// For SVM only.
	MemSVMFineGrain MemFlags = 1 << 10
	MemSVMAtomics   MemFlags = 1 << 11
	// For images that one kernel both reads and writes (OpenCL 2.0).
	MemKernelReadAndWrite MemFlags = 1 << 12
)

// MapFlags say what the host does with a mapped region.
type MapFlags uint64

// Map flags.
const (
	MapRead       MapFlags = 1 << 0
	MapWrite      MapFlags = 1 << 1
	MapInvalidate MapFlags = 1 << 2 // write without reading first: the old content is lost
)

// MigrateFlags modify Queue.Migrate.
type MigrateFlags uint64

// Migration flags.
const (
	MigrateToHost           MigrateFlags = 1 << 0
	MigrateContentUndefined MigrateFlags = 1 << 1
)

// FPConfig describes what a floating-point type can do on a device.
type FPConfig uint64

// Floating-point abilities.
const (
	FPDenorm         FPConfig = 1 << 0
	FPInfNaN         FPConfig = 1 << 1
	FPRoundToNearest FPConfig = 1 << 2
	FPRoundToZero    FPConfig = 1 << 3
	FPRoundToInf     FPConfig = 1 << 4
	FPFMA            FPConfig = 1 << 5
	FPSoftFloat      FPConfig = 1 << 6
	FPCorrectDivSqrt FPConfig = 1 << 7
)

// String names the abilities.
func (c FPConfig) String() string {
	return bitNames(uint64(c), "denorm", "inf-nan", "nearest", "zero", "inf", "fma", "soft", "correct-div-sqrt")
}

// SVMCapabilities say which kinds of shared virtual memory a device has.
type SVMCapabilities uint64

// Shared virtual memory kinds.
const (
	SVMCoarseBuffer SVMCapabilities = 1 << 0
	SVMFineBuffer   SVMCapabilities = 1 << 1
	SVMFineSystem   SVMCapabilities = 1 << 2
	SVMAtomics      SVMCapabilities = 1 << 3
)

// QueueProperties say what a device's queues can do.
type QueueProperties uint64

// Queue abilities.
const (
	QueueOutOfOrder QueueProperties = 1 << 0
	QueueProfiling  QueueProperties = 1 << 1
)

// CommandBufferCapabilities say what a device's command buffers can do.
type CommandBufferCapabilities uint64

// Command buffer abilities.
const (
	CommandBufferPrintf          CommandBufferCapabilities = 1 << 0
	CommandBufferDeviceEnqueue   CommandBufferCapabilities = 1 << 1
	CommandBufferSimultaneousUse CommandBufferCapabilities = 1 << 2
	CommandBufferOutOfOrder      CommandBufferCapabilities = 1 << 3
)

// CacheType is the kind of a device's global memory cache.
type CacheType uint32

// Cache kinds.
const (
	CacheNone CacheType = iota
	CacheReadOnly
	CacheReadWrite
)

// LocalMemType tells whether local memory is real.
type LocalMemType uint32

// Local memory kinds: LocalGlobal is global memory in disguise, as CPU drivers have it.
const (
	LocalNone   LocalMemType = 0
	LocalOwn    LocalMemType = 1
	LocalGlobal LocalMemType = 2
)

func bitNames(bits uint64, names ...string) string {
	s := ""
	for i, n := range names {
		if bits&(1<<i) == 0 {
			continue
		}
		if s != "" {
			s += "|"
		}
		s += n
	}
	if s == "" {
		return "none"
	}
	return s
}
