package cl

import "fmt"

// Version is an OpenCL version number of three parts.
type Version struct{ Major, Minor, Patch int }

// AtLeast reports whether v is major.minor or newer.
func (v Version) AtLeast(major, minor int) bool {
	return v.Major > major || (v.Major == major && v.Minor >= minor)
}

// String returns "major.minor.patch".
func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// NamedVersion is an entry of a list such as OpenCLCVersions: cl_name_version.
type NamedVersion struct {
	Name    string
	Version Version
}

// DeviceInfo holds a device's answers to queries about itself. A field whose query the device does
// not answer, because it is older or another vendor's, has its zero value. The answers are claims:
// sub-group size, work-group limits and extension strings are known to be wrong on several drivers.
//
// The tag names the query: its parameter, then the OpenCL version (as 2.0) or
// the extension from which on it is asked.
type DeviceInfo struct {
	Type          DeviceType `cl:"0x1000"`
	Name          string     `cl:"0x102B"`
	Vendor        string     `cl:"0x102C"`
	VendorID      uint32     `cl:"0x1001"`
	DriverVersion string     `cl:"0x102D"`
	Profile       string     `cl:"0x102E"`
	VersionText   string     `cl:"0x102F"`
	Version       Version    // parsed from VersionText, which every device answers
	CVersionText  string     `cl:"0x103D"`
	// OpenCLCVersions lists the language levels that build (3.0); CVersionText
	// names only one of them.
	OpenCLCVersions []NamedVersion `cl:"0x1066,3.0"`
	OpenCLCFeatures []NamedVersion `cl:"0x106F,3.0"`
	Extensions      []string       `cl:"0x1030"`
	// ExtensionVersions is the same list with versions (3.0).
	ExtensionVersions []NamedVersion `cl:"0x1060,3.0"`
	BuiltInKernels    []string       `cl:"0x103F"` // separated by semicolons
	ILVersions        []string       `cl:"0x105B,2.1"`
	ConformanceTest   string         `cl:"0x1072,3.0"`

	Available         bool   `cl:"0x1027"`
	CompilerAvailable bool   `cl:"0x1028"`
	LinkerAvailable   bool   `cl:"0x103E"`
	LittleEndian      bool   `cl:"0x1026"`
	AddressBits       uint32 `cl:"0x100D"`
	ExecCapabilities  uint64 `cl:"0x1029"` // bit 0: kernels, bit 1: native kernels

	ComputeUnits       uint32   `cl:"0x1002"`
	ClockMHz           uint32   `cl:"0x100C"`
	MaxWorkDims        uint32   `cl:"0x1003"`
	MaxWorkGroupSize   uint64   `cl:"0x1004"`
	MaxWorkItemSizes   []uint64 `cl:"0x1005"`
	WorkGroupMultiple  uint64   `cl:"0x1067,3.0"`
	MaxSubgroups       uint32   `cl:"0x105C,2.1"`
	SubgroupProgress   bool     `cl:"0x105D,2.1"`
	NonUniformGroups   bool     `cl:"0x1065,3.0"`
	GroupCollectives   bool     `cl:"0x1068,3.0"`
	GenericAddresses   bool     `cl:"0x1069,3.0"`
	AtomicMemory       uint64   `cl:"0x1063,3.0"` // cl_device_atomic_capabilities
	AtomicFence        uint64   `cl:"0x1064,3.0"`
	DeviceEnqueue      uint64   `cl:"0x1070,3.0"`
	MaxParameterBytes  uint64   `cl:"0x1017"`
	PrintfBufferBytes  uint64   `cl:"0x1049"`
	MaxGlobalVariable  uint64   `cl:"0x104D,2.0"`
	GlobalVariablePref uint64   `cl:"0x1054,2.0"`

	PreferredWidthChar   uint32 `cl:"0x1006"`
	PreferredWidthShort  uint32 `cl:"0x1007"`
	PreferredWidthInt    uint32 `cl:"0x1008"`
	PreferredWidthLong   uint32 `cl:"0x1009"`
	PreferredWidthFloat  uint32 `cl:"0x100A"`
	PreferredWidthDouble uint32 `cl:"0x100B"`
	PreferredWidthHalf   uint32 `cl:"0x1034"`
	NativeWidthChar      uint32 `cl:"0x1036"`
	NativeWidthShort     uint32 `cl:"0x1037"`
	NativeWidthInt       uint32 `cl:"0x1038"`
	NativeWidthLong      uint32 `cl:"0x1039"`
	NativeWidthFloat     uint32 `cl:"0x103A"`
	NativeWidthDouble    uint32 `cl:"0x103B"`
	NativeWidthHalf      uint32 `cl:"0x103C"`

	SingleFP FPConfig `cl:"0x101B"`
	DoubleFP FPConfig `cl:"0x1032"`
	HalfFP   FPConfig `cl:"0x1033,cl_khr_fp16"`

	GlobalMemBytes      uint64          `cl:"0x101F"`
	MaxAllocBytes       uint64          `cl:"0x1010"`
	GlobalCache         CacheType       `cl:"0x101C"`
	GlobalCacheBytes    uint64          `cl:"0x101E"`
	CacheLineBytes      uint32          `cl:"0x101D"`
	LocalMem            LocalMemType    `cl:"0x1022"`
	LocalMemBytes       uint64          `cl:"0x1023"`
	MaxConstantBytes    uint64          `cl:"0x1020"`
	MaxConstantArgs     uint32          `cl:"0x1021"`
	BaseAddrAlignBits   uint32          `cl:"0x1019"` // bits, also the alignment of sub-buffers
	MinDataTypeAlign    uint32          `cl:"0x101A"`
	ErrorCorrection     bool            `cl:"0x1024"`
	HostUnifiedMemory   bool            `cl:"0x1035"`
	SVM                 SVMCapabilities `cl:"0x1053,2.0"`
	SVMPlatformAlign    uint32          `cl:"0x1058,2.0"`
	SVMGlobalAlign      uint32          `cl:"0x1059,2.0"`
	SVMLocalAlign       uint32          `cl:"0x105A,2.0"`
	PreferUserSync      bool            `cl:"0x1048"`
	ProfilingResolution uint64          `cl:"0x1025"` // nanoseconds

	Queue                 QueueProperties           `cl:"0x102A"`
	DeviceQueue           QueueProperties           `cl:"0x104E,2.0"`
	DeviceQueuePreferred  uint32                    `cl:"0x104F,2.0"`
	DeviceQueueMax        uint32                    `cl:"0x1050,2.0"`
	MaxDeviceQueues       uint32                    `cl:"0x1051,2.0"`
	MaxDeviceEvents       uint32                    `cl:"0x1052,2.0"`
	PipeSupport           bool                      `cl:"0x1071,3.0"`
	MaxPipeArgs           uint32                    `cl:"0x1055,2.0"`
	MaxPipeReservations   uint32                    `cl:"0x1056,2.0"`
	MaxPipePacketBytes    uint32                    `cl:"0x1057,2.0"`
	CommandBuffer         CommandBufferCapabilities `cl:"0x12A9,cl_khr_command_buffer"`
	CommandBufferRequires QueueProperties           `cl:"0x12AA,cl_khr_command_buffer"`

	ImageSupport       bool   `cl:"0x1016"`
	MaxReadImages      uint32 `cl:"0x100E"`
	MaxWriteImages     uint32 `cl:"0x100F"`
	MaxReadWriteImages uint32 `cl:"0x104C,2.0"`
	Image2DMaxWidth    uint64 `cl:"0x1011"`
	Image2DMaxHeight   uint64 `cl:"0x1012"`
	Image3DMaxWidth    uint64 `cl:"0x1013"`
	Image3DMaxHeight   uint64 `cl:"0x1014"`
	Image3DMaxDepth    uint64 `cl:"0x1015"`
	ImageMaxBuffer     uint64 `cl:"0x1040"`
	ImageMaxArray      uint64 `cl:"0x1041"`
	ImagePitchAlign    uint32 `cl:"0x104A,2.0"`
	ImageBaseAlign     uint32 `cl:"0x104B,2.0"`
	MaxSamplers        uint32 `cl:"0x1018"`

	MaxSubdevices     uint32         `cl:"0x1043"`
	PartitionKinds    []uint64       `cl:"0x1044"`
	PartitionDomains  AffinityDomain `cl:"0x1045"`
	PartitionedAs     []uint64       `cl:"0x1046"` // of a sub-device
	DotProduct        uint64         `cl:"0x1073,cl_khr_integer_dot_product"`
	UUID              []byte         `cl:"0x106A,cl_khr_device_uuid"`
	DriverUUID        []byte         `cl:"0x106B,cl_khr_device_uuid"`
	PCIBus            []byte         `cl:"0x410F,cl_khr_pci_bus_info"` // domain, bus, device, function: four cl_uint
	SubgroupSizes     []uint64       `cl:"0x4108,cl_intel_required_subgroup_size"`
	NVComputeMajor    uint32         `cl:"0x4000,cl_nv_device_attribute_query"`
	NVComputeMinor    uint32         `cl:"0x4001,cl_nv_device_attribute_query"`
	NVRegisters       uint32         `cl:"0x4002,cl_nv_device_attribute_query"` // per block
	NVWarpSize        uint32         `cl:"0x4003,cl_nv_device_attribute_query"`
	NVIntegrated      bool           `cl:"0x4006,cl_nv_device_attribute_query"`
	NVPCIBus          uint32         `cl:"0x4008,cl_nv_device_attribute_query"`
	NVPCISlot         uint32         `cl:"0x4009,cl_nv_device_attribute_query"`
	NVPCIDomain       uint32         `cl:"0x400A,cl_nv_device_attribute_query"`
	AMDBoardName      string         `cl:"0x4038,cl_amd_device_attribute_query"`
	AMDWavefront      uint32         `cl:"0x4043,cl_amd_device_attribute_query"`
	AMDSIMDPerUnit    uint32         `cl:"0x4040,cl_amd_device_attribute_query"`
	AMDTopology       []byte         `cl:"0x4037,cl_amd_device_attribute_query"`
	IntelIPVersion    uint32         `cl:"0x4250,cl_intel_device_attribute_query"`
	IntelDeviceID     uint32         `cl:"0x4251,cl_intel_device_attribute_query"`
	IntelSlices       uint32         `cl:"0x4252,cl_intel_device_attribute_query"`
	IntelSubSlices    uint32         `cl:"0x4253,cl_intel_device_attribute_query"` // per slice
	IntelEUs          uint32         `cl:"0x4254,cl_intel_device_attribute_query"` // per sub-slice
	IntelThreadsPerEU uint32         `cl:"0x4255,cl_intel_device_attribute_query"`
}
