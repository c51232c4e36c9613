package platform

import "strings"

// Quirk is one row of what is known to be wrong with a device or a driver, and
// what this package or its callers do about it.
type Quirk struct {
	Name    string `json:"name"`
	Symptom string `json:"symptom"`
	Remedy  string `json:"remedy"`
	Source  string `json:"source"`

	fix   fix
	match func(d *Device, simulated bool) bool
}

// fix is a workaround that code asks for by name.
type fix uint16

const (
	fixNoResults    fix = 1 << iota // accepts work and computes nothing
	fixNoFMA                        // fma() emulated in software or missing: do not even probe it
	fixNoFP64                       // crashes when double is used
	fixKernelsFirst                 // create kernels before asking for the binary
	fixDeclaredOnly                 // probe only what the device declares
	fixOneThread                    // not safe for concurrent calls
	fixOwnCache                     // keep no binaries: the driver does
	fixNoAssembly                   // its compiler crashes at inline assembly for the CPU
)

func key(keys ...string) func(*Device, bool) bool {
	return func(d *Device, _ bool) bool {
		for _, k := range keys {
			if d.Key == k {
				return true
			}
		}
		return false
	}
}

func rusticl(d *Device, _ bool) bool { return strings.EqualFold(d.PlatformName, "rusticl") }

// quirkTable is in no particular order: every row that matches holds.
var quirkTable = []Quirk{
	{
		Name:    "null-driver",
		Symptom: "Intel's driver with SetCommandStreamReceiver set accepts all commands and executes none",
		Remedy:  "class simulator; selected only by name",
		Source:  "github.com/intel/compute-runtime, debug keys",
		fix:     fixNoResults,
		match:   func(_ *Device, simulated bool) bool { return simulated },
	},
	{
		Name:    "slow-fma",
		Symptom: "fma() is emulated in software on llvmpipe, 4 to 18 times slower than a*b+c, and does not link on some builds",
		Remedy:  "FMA(a,b,c) is a*b+c",
		Source:  "measured with sgemm on Mesa 22.3, 25.0 and 26.2",
		fix:     fixNoFMA,
		match:   key(keyLLVMpipe),
	},
	{
		Name:    "fp64-crash",
		Symptom: "double arithmetic, which is opt-in, ends the process on llvmpipe of Mesa 26",
		Remedy:  "fp64 is not probed and counts as missing",
		Source:  "observed on Mesa 26.2.6",
		fix:     fixNoFP64,
		match: func(d *Device, _ bool) bool {
			return d.Key == keyLLVMpipe && versionIn(d.Driver, 26, 0)
		},
	},
	{
		Name:    "subdevice-crash",
		Symptom: "clCreateSubDevices ends the process instead of failing",
		Remedy:  "cl asks only devices that list partition kinds",
		Source:  "observed on Mesa 22.3.6",
		match:   rusticl,
	},
	{
		Name:    "kernels-before-binary",
		Symptom: "a program's binary holds device code only after its kernels were created",
		Remedy:  "kernels are created before the binary is kept",
		Source:  "github.com/viennacl/viennacl-dev issue 225",
		fix:     fixKernelsFirst,
		match:   key(keyARM),
	},
	{
		Name:    "large-fill",
		Symptom: "clEnqueueFillBuffer of 2 GiB and more fills only a part",
		Remedy:  "Opened.Fill fills in pieces",
		Source:  "github.com/ProjectPhysX/FluidX3D, release notes",
		match:   key(keyNVIDIA),
	},
	{
		Name:    "no-fp16-listed",
		Symptom: "half arithmetic works although cl_khr_fp16 is not listed",
		Remedy:  "half is probed whatever the extension string says",
		Source:  "github.com/ProjectPhysX/OpenCL-Benchmark",
		match:   key(keyNVIDIA),
	},
	{
		Name:    "truncated-binary-aborts",
		Symptom: "a damaged program binary ends the process",
		Remedy:  "length and SHA-256 are checked before the driver sees a binary",
		Source:  "observed on PoCL 3.1, 6.0, 7.1 and Mesa 22.3",
		match: func(d *Device, s bool) bool {
			return key(keyPoCL)(d, s) || rusticl(d, s) && versionIn(d.Driver, 0, 25)
		},
	},
	{
		Name:    "signal-handlers",
		Symptom: "replaces the process's signal handlers when it starts",
		Remedy:  "cl saves them before and restores them after",
		Source:  "observed on PoCL 3.1, 6.0 and 7.1",
		match:   key(keyPoCL),
	},
	{
		Name:    "cache-folder",
		Symptom: "no devices when its own cache folder (POCL_CACHE_DIR) cannot be written",
		Remedy:  "none: Explain shows the empty platform",
		Source:  "observed on PoCL 3.1",
		match:   key(keyPoCL),
	},
	{
		Name: "own-program-cache",
		Symptom: "compiles every kernel once more to make a binary, from files that other threads and processes may be writing; " +
			"ends the process at a binary with an empty file in it",
		Remedy: "no binaries are kept: its own cache keeps programs and launches",
		Source: "observed on PoCL 3.1: pocl_binary.c, assertion len > 0; 8 of 18 s of a cold start went into binaries",
		fix:    fixOwnCache,
		match:  key(keyPoCL),
	},
	{
		Name:    "specialised-launch",
		Symptom: "compiles each kernel again for every new work-group size, at its first launch",
		Remedy:  "few work-group sizes; its own cache keeps the results",
		Source:  "measured on PoCL 3.1: 25 ms to 5 s a kernel",
		match:   key(keyPoCL),
	},
	{
		Name: "masked-loads",
		Symptom: "ends the process at a kernel in which two loops read one place under one mask, one a number and one its bits, " +
			"as fabs or isnan does",
		Remedy: "such loops of row_band.cl read at offsets that a compiler does not see to be equal",
		Source: "observed on PoCL 3.1 with LLVM 15: EarlyCSE takes masked loads of two types for one",
		match:  key(keyPoCL),
	},
	{
		Name:    "inline-assembly",
		Symptom: "ends the process at a kernel with inline assembly: an assertion, cast<ConstantInt>, of LLVM 18",
		Remedy:  "dot products of bytes by vpdpbusd are not probed and count as missing",
		Source:  "observed on PoCL 6.0; PoCL 3.1 with LLVM 15 takes it",
		fix:     fixNoAssembly,
		match:   func(d *Device, s bool) bool { return key(keyPoCL)(d, s) && versionIn(d.Driver, 4, 0) },
	},
	{
		Name:    "subgroups-not-listed",
		Symptom: "sub-groups work although cl_khr_subgroups is not listed",
		Remedy:  "sub-groups are probed where OpenCL C 2.0 or newer is",
		Source:  "observed on Mesa 25.0 and Intel 26.27",
		match:   func(d *Device, s bool) bool { return key(keyIntel)(d, s) || rusticl(d, s) },
	},
	{
		Name:    "dot-macro",
		Symptom: "the integer dot product's macro is defined where the instruction is not",
		Remedy:  "the dot product is probed",
		Source:  "github.com/intel/compute-runtime issue 817",
		match:   key(keyIntel),
	},
	{
		Name:    "macros-without-code",
		Symptom: "defines the macros of fp16 and sub-groups, and stops with a message when such a kernel is made",
		Remedy:  "only declared capabilities are probed",
		Source:  "observed on Oclgrind 21.10",
		fix:     fixDeclaredOnly,
		match:   key(keyOclgrind),
	},
	{
		Name:    "one-thread",
		Symptom: "calls from several threads corrupt its tables and end the process",
		Remedy:  "programs are built one at a time; use it from one goroutine",
		Source:  "observed on Oclgrind 21.10",
		fix:     fixOneThread,
		match:   key(keyOclgrind),
	},
	{
		Name:    "zero-profiling-clocks",
		Symptom: "profiling is accepted and all times are zero",
		Remedy:  "calibration uses the wall clock",
		Source:  "observed on Mesa 22.3 and Intel's null driver",
		match:   rusticl,
	},
}

// quirksOf returns the rows that hold for a device.
func quirksOf(d *Device, simulated bool) []Quirk {
	var out []Quirk
	for _, q := range quirkTable {
		if q.match(d, simulated) {
			out = append(out, q)
		}
	}
	return out
}

// has reports whether the device needs a workaround.
func (d *Device) has(f fix) bool {
	for _, q := range d.quirks {
		if q.fix&f != 0 {
			return true
		}
	}
	return false
}

// versionIn reports whether the first number in a driver's version text is at
// least from and, unless to is 0, below to.
func versionIn(text string, from, to int) bool {
	n, seen := 0, false
	for _, r := range text {
		if r < '0' || r > '9' {
			if seen {
				break
			}
			continue
		}
		seen = true
		n = n*10 + int(r-'0')
		if n > 1<<20 {
			return false
		}
	}
	return seen && n >= from && (to == 0 || n < to)
}
