package quirk

import (
	"strings"

	"github.com/anycl/anycl/internal/quirks"
	"github.com/anycl/anycl/platform/internal/vendor"
)

// key matches devices of some vendors or implementations.
func key(keys ...string) func(Device) bool {
	return func(d Device) bool {
		for _, k := range keys {
			if d.Key == k {
				return true
			}
		}
		return false
	}
}

func rusticl(d Device) bool { return strings.EqualFold(d.Platform, "rusticl") }

// rusticlIn matches rusticl of Mesa from version from on and, unless to is 0, below to.
func rusticlIn(from, to int) func(Device) bool {
	return func(d Device) bool { return rusticl(d) && VersionIn(d.Driver, from, to) }
}

// llvmpipeIn is rusticlIn for Mesa's software renderer.
func llvmpipeIn(from, to int) func(Device) bool {
	return func(d Device) bool { return d.Key == vendor.LLVMpipe && VersionIn(d.Driver, from, to) }
}

// Table is in no particular order: every row that matches holds.
var Table = []Row{
	{
		Name: "null-driver", Driver: "Intel's with SetCommandStreamReceiver set",
		Symptom: "accepts all commands and executes none",
		Remedy:  "class simulator; selected only by name; nothing of it is kept on disk",
		Source:  "github.com/intel/compute-runtime, debug keys",
		Test:    "TestNothingIsSelectedWhereNothingComputes",
		Fix:     NoResults,
		Match:   func(d Device) bool { return d.Simulated },
	},
	{
		Name: "slow-fma", Driver: "llvmpipe",
		Symptom: "fma() is emulated in software, 4 to 18 times slower than a*b+c, and does not link on some builds",
		Remedy:  "FMA(a,b,c) is a*b+c, and fma is not probed",
		Source:  "measured with sgemm on Mesa 22.3, 25.0 and 26.2",
		Test:    "TestFMAIsSlowWhereTheQuirkSaysSo",
		Fix:     NoFMA,
		Match:   key(vendor.LLVMpipe),
	},
	{
		Name: "no-fp64", Driver: "llvmpipe of Mesa 25 and newer",
		Symptom: "double arithmetic, which is opt-in, ends the process, or gives sines that are off by 10 ulp and, beside it, signs that are not copied",
		Remedy:  "fp64 is not probed and counts as missing",
		Source:  "observed on Mesa 26.2.6, and on 25.0.7 in the whole matrix: sin, cos, tan and pow in double, sinh and fmod in float",
		Test:    "TestQuirksDecideWhatIsProbed",
		Fix:     NoFP64,
		Match:   llvmpipeIn(25, 0),
	},
	{
		Name: "no-out-of-order", Driver: "rusticl of Mesa 22",
		Symptom: "refuses queues that are out of order (-35)",
		Remedy:  "they are not probed and count as missing",
		Source:  "observed on Mesa 22.3.6",
		Test:    "TestOutOfOrderQueuesFailWhereTheQuirkSaysSo",
		Fix:     InOrder,
		Match:   rusticlIn(0, 23),
	},
	{
		Name: "no-direct", Driver: "llvmpipe",
		Symptom: "says that kernels are done that are still at work; only commands that read and write wait for them",
		Remedy:  "bytes go to and from buffers by commands, never by plain copies",
		Source:  "observed on Mesa 22.3.6: the first sum of two inputs was read before it was there",
		Test:    "TestPlainCopiesAreWrongWhereTheQuirkSaysSo",
		Fix:     NoDirect,
		Match:   key(vendor.LLVMpipe),
	},
	{
		Name: "subdevice-crash", Driver: "rusticl of Mesa 22",
		Symptom: "clCreateSubDevices ends the process instead of failing",
		Remedy:  "its devices are not divided; cl asks only devices that list partition kinds",
		Source:  "observed on Mesa 22.3.6",
		Test:    "TestADriverThatCrashesIsNotAskedForParts",
		Fix:     NoParts,
		Match:   rusticlIn(0, 23),
	},
	{
		Name: "built-in-crash", Driver: "rusticl of Mesa 22",
		Symptom: "ends the process when it is asked for a built-in kernel that it does not have",
		Remedy:  "cl compares the names with those that the device lists",
		Source:  "observed on Mesa 22.3.6",
		Test:    "TestBuiltInKernelsAreFoundByName",
		Always:  true,
		Match:   rusticlIn(0, 23),
	},
	{
		Name: "kernels-before-binary", Driver: "ARM",
		Symptom: "a program's binary holds device code only after its kernels were created",
		Remedy:  "kernels are created before the binary is kept",
		Source:  "github.com/viennacl/viennacl-dev issue 225",
		Test:    "TestKernelsAreMadeBeforeABinaryIsAskedFor",
		Fix:     KernelsFirst,
		Match:   key(vendor.ARM),
	},
	{
		Name: "large-fill", Driver: "NVIDIA",
		Symptom: "clEnqueueFillBuffer of 2 GiB and more fills only a part",
		Remedy:  "Opened.Fill fills in pieces of 1 GiB",
		Source:  "github.com/ProjectPhysX/FluidX3D, release notes",
		Test:    "TestLargeFillsAreMadeInPieces",
		Always:  true,
		Match:   key(vendor.NVIDIA),
	},
	{
		Name: "sub-buffer-release", Driver: "NVIDIA",
		Symptom: "releasing a sub-buffer ends the process now and then, with recurrent layers, whose kernels take many of the same memory",
		Remedy:  "operands of a user's kernels that do not begin a buffer are copied to one of their own and back",
		Source:  "observed on 580.159: SIGSEGV at address 8 in clReleaseMemObject; single processes of three, within a minute",
		Test:    "TestCustomKernelsTakeOperandsAnywhereInMemory",
		Fix:     NoSubBuffers,
		Match:   key(vendor.NVIDIA),
	},
	{
		Name: "least-integer", Driver: "NVIDIA",
		Symptom: "the magnitude of the least int is converted to float as if it had a sign, so that turning the sign makes it positive",
		Remedy:  "casts of integers to half types set the sign",
		Source:  "observed on 580.159, and in what ptxas of CUDA 12.4 makes of abs.s32 and cvt.rz.f32.u32: I2FP.F32.S32",
		Test:    "TestCastsFollowTheRulesOfTensorCast",
		Always:  true,
		Match:   key(vendor.NVIDIA),
	},
	{
		Name: "truncated-binary-aborts", Driver: "PoCL; rusticl before Mesa 25",
		Symptom: "a damaged program binary ends the process",
		Remedy:  "length and SHA-256 are checked before the driver sees a binary",
		Source:  "observed on PoCL 3.1, 6.0, 7.1 and Mesa 22.3",
		Test:    "TestTruncatedCacheEntryIsRebuilt",
		Always:  true,
		Match:   func(d Device) bool { return key(vendor.PoCL)(d) || rusticlIn(0, 25)(d) },
	},
	{
		Name: quirks.RestoreSignals, Driver: "PoCL",
		Symptom: "replaces 15 signal handlers of the process; from 7.1 on a nil dereference in Go then ends it",
		Remedy:  "the handlers are saved before calls that start or build something, and restored after",
		Source:  "observed on PoCL 3.1, 6.0 and 7.1",
		Test:    "TestHandlersAreReplacedWhereTheyAreNotRestored",
		Fix:     Signals,
		Match:   key(vendor.PoCL),
	},
	{
		Name: "cache-folder", Driver: "PoCL",
		Symptom: "no devices when its own cache folder cannot be written",
		Remedy:  "the note on the empty platform says so",
		Source:  "observed on PoCL 3.1",
		Test:    "TestPoCLWithoutACacheFolderSaysWhyItHasNoDevices",
		Always:  true,
		Match:   key(vendor.PoCL),
	},
	{
		Name: "outside-dimensions", Driver: "PoCL",
		Symptom: "get_global_size, get_local_size and get_num_groups are 0 for dimensions above the third, where the specification says 1",
		Remedy:  "programs that may ask for these are given functions that are right",
		Source:  "observed on PoCL 3.1; OpenCL C 3.0, section 6.15.1",
		Test:    "TestSizesOutsideALaunchAreOne",
		Fix:     Dimensions,
		Match:   key(vendor.PoCL),
	},
	{
		Name: "own-program-cache", Driver: "PoCL",
		Symptom: "compiles every kernel once more to make a binary, from files that other threads and processes may be writing; " +
			"ends the process at a binary with an empty file in it",
		Remedy: "no binaries are kept: its own cache keeps programs and launches",
		Source: "observed on PoCL 3.1: pocl_binary.c, assertion len > 0; 8 of 18 s of a cold start went into binaries",
		Test:   "TestADriverThatKeepsProgramsItselfIsNotAskedForBinaries",
		Fix:    OwnCache,
		Match:  key(vendor.PoCL),
	},
	{
		Name: "builds-collide", Driver: "PoCL before 6",
		Symptom: "two processes that build the same source at once: one removes for a moment what the other has written, and who reads " +
			"it then fails to build or ends",
		Remedy: "builds of the same source wait for each other, by a lock in its cache folder",
		Source: "observed on PoCL 3.1: pocl_write_file removes program.bc before it renames another to it; 6.0 only renames",
		Test:   "TestBuildsOfOneSourceWaitForEachOther",
		Fix:    LockBuilds,
		Match:  func(d Device) bool { return d.Key == vendor.PoCL && VersionIn(d.Driver, 0, 6) },
	},
	{
		Name: "long-header", Driver: "PoCL before 6",
		Symptom: "reads Clang's header of 18,000 lines for each program, which takes more time than compiling most of them",
		Remedy:  "programs of OpenCL C 1.2 declare the built-in functions that they name instead, and are built with the header where that fails",
		Source:  "observed on PoCL 3.1 with LLVM 15: 190 ms of 230",
		Test:    "TestProgramsDeclareWhatTheyCall",
		Fix:     LongHeader,
		Match:   func(d Device) bool { return d.Key == vendor.PoCL && VersionIn(d.Driver, 0, 6) },
	},
	{
		Name: "optimizes-twice", Driver: "PoCL 3",
		Symptom: "has Clang optimise a program when it is built, and optimises each kernel again, unrolling loops, at its first launch",
		Remedy: "programs of small contractions, which are written in vectors, are optimised once, with loops as they are, by options of Clang's " +
			"behind a macro; where they are refused, as other programs are",
		Source: "observed on PoCL 3.1 with LLVM 15: eight kernels of a convolution in 1.05 s of processor time in place of 1.59",
		Test:   "TestProgramsMayBeOptimizedOnce",
		Fix:    TwicePasses,
		Match:  func(d Device) bool { return d.Key == vendor.PoCL && VersionIn(d.Driver, 3, 4) },
	},
	{
		Name: "preprocesses-again", Driver: "PoCL 3",
		Symptom: "preprocesses each source before it looks into its own cache, which takes two thirds of the time of a program that it has",
		Remedy: "a program is built as a library, and the program of its bitcode, which is kept on disk; where there is none, the driver " +
			"refuses it or nothing is kept on disk, programs are built of their sources",
		Source: "observed on PoCL 3.1 with LLVM 15: twelve kernels of a network in 15 ms in place of 45",
		Test:   "TestProgramsAreMadeOfBitcode",
		Fix:    Preprocesses,
		Match:  func(d Device) bool { return d.Key == vendor.PoCL && VersionIn(d.Driver, 3, 4) },
	},
	{
		Name: "three-bodies", Driver: "PoCL 3",
		Symptom: "compiles each kernel three times: as a function, and as part of two that call it, of which one is never called",
		Remedy: "what kernels of groups of one item do, and probes, are functions of their own, which must not be part of others; they are " +
			"given the item, as functions that ask for it become part of their callers, and no local memory, the values of which were lost",
		Source: "Workgroup.cc and FlattenGlobals.cc of PoCL 3.1 (those of 1.8 to 6.0 do the same): six kernels of a convolution in two thirds of the time",
		Test:   "TestBodiesThatAreFunctionsAreCompiledOnce",
		Fix:    ThreeBodies,
		Match:  func(d Device) bool { return d.Key == vendor.PoCL && VersionIn(d.Driver, 3, 4) },
	},
	{
		Name: "abi-warnings", Driver: "PoCL, on processors without AVX-512",
		Symptom: "warns of every function that takes or gives a vector of 64 bytes, and writes to the standard error of the process how often",
		Remedy:  "programs begin with a pragma of Clang that turns this warning off",
		Source:  "observed on PoCL 3.1 with LLVM 15: -Wpsabi, on a processor with AVX2",
		Test:    "TestCompilersSayNothingOfWideVectors",
		Fix:     ABIWarnings,
		Match:   key(vendor.PoCL),
	},
	{
		Name: "half-vectors-aligned", Driver: "PoCL, on processors with F16C",
		Symptom: "vload_half and vstore_half of 4, 8 and 16 take their address to be that of a whole vector: at others the process may end",
		Remedy:  "programs begin with functions in their place that go by way of a private vector, which is aligned",
		Source:  "observed on PoCL 3.1 with LLVM 15: loads of align 16 in its kernel-x86_64-pc-linux-gnu-avx2.bc and -avx512.bc",
		Test:    "TestVectorsOfHalvesLieAnywhere",
		Fix:     HalfVectors,
		Match:   key(vendor.PoCL),
	},
	{
		Name: "library-per-context", Driver: "PoCL",
		Symptom: "reads its library of built-in functions, 110 MiB in memory, for the first program of each context, which takes longer than compiling it",
		Remedy:  "what has the same device open in a process shares a context",
		Source:  "observed on PoCL 3.1: 0.6 s of a first start",
		Test:    "TestWhatHasADeviceOfPoCLOpenSharesAContext",
		Fix:     OneContext,
		Match:   key(vendor.PoCL),
	},
	{
		Name: "wider-launches", Driver: "PoCL before 6",
		Symptom: "keeps a loaded kernel for the widest launch so far, and ends the process where a wider one begins while others are at work",
		Remedy:  "the kernels that measure are launched first as wide as they ever are; all launches on an inline device are of one width",
		Source:  "observed on PoCL 3.1: assertion found->ref_count > 0 of pocl_release_dlhandle_cache, which looks for the work-group alone",
		Test:    "TestAnInlineDeviceIsMeasuredBySeveralAtOnce",
		Fix:     Widest,
		Match:   func(d Device) bool { return d.Key == vendor.PoCL && VersionIn(d.Driver, 0, 6) },
	},
	{
		Name: "freed-parts", Driver: "PoCL",
		Symptom: "asks a sub-device that it has freed, where its own thread is the last to let go of a command, and so of a queue",
		Remedy:  "cl releases queues on sub-devices when no command holds them, and their context after them",
		Source:  "observed on PoCL 3.1: clReleaseCommandQueue releases the context before free_queue, as later versions do",
		Test:    "TestPartsOutliveTheLastCommand",
		Always:  true,
		Match:   key(vendor.PoCL),
	},
	{
		Name: "event-alias", Driver: "PoCL 3",
		Symptom: "ends the process when the event that a command returns is also in its wait list",
		Remedy:  "cl gives each command another place for its event",
		Source:  "observed on PoCL 3.1: assertion ev1 != ev2",
		Test:    "TestASignalStandsForOneCommandAfterAnother",
		Always:  true,
		Match:   func(d Device) bool { return d.Key == vendor.PoCL && VersionIn(d.Driver, 0, 4) },
	},
	{
		Name: "masked-loads", Driver: "PoCL",
		Symptom: "ends the process at a kernel in which two loops read one place under one mask, one a number and one its bits, " +
			"as fabs or isnan does",
		Remedy: "such loops of row/cpu_band.cl read at offsets that a compiler does not see to be equal",
		Source: "observed on PoCL 3.1 with LLVM 15: EarlyCSE takes masked loads of two types for one",
		Test:   "TestABandOfRowsComputesWithNumbersAndTheirBits",
		Always: true,
		Match:  key(vendor.PoCL),
	},
	{
		Name: "inline-assembly", Driver: "PoCL 4 and newer",
		Symptom: "ends the process at a kernel with inline assembly: an assertion, cast<ConstantInt>, of LLVM 18",
		Remedy:  "dot products of bytes by vpdpbusd are not probed and count as missing",
		Source:  "observed on PoCL 6.0; PoCL 3.1 with LLVM 15 takes it",
		Test:    "TestQuirksDecideWhatIsProbed",
		Fix:     NoAssembly,
		Match:   func(d Device) bool { return key(vendor.PoCL)(d) && VersionIn(d.Driver, 4, 0) },
	},
	{
		Name: "wide-bytes", Driver: "llvmpipe",
		Symptom: "ends the process at some kernels that choose among values of 8 bits: LLVM 15 and 19 fail at their vectors, in LegalizeTypes and simplifySelect",
		Remedy:  "kernels hold values of 8 bits in variables of 32, and load them so that LLVM cannot make them narrow again",
		Source:  "observed on Mesa 22.3 and 25.0: casts of int64 to int8, and clip of int8, under a condition",
		Test:    "TestBytesAreHeldInWords",
		Fix:     WideBytes,
		Match:   key(vendor.LLVMpipe),
	},
	{
		Name: "subgroups-not-listed", Driver: "Intel; rusticl",
		Symptom: "sub-groups work although cl_khr_subgroups is not listed",
		Remedy:  "sub-groups are probed where OpenCL C 2.0 or newer is",
		Source:  "observed on Mesa 25.0 and Intel 26.27",
		Test:    "TestCapabilitiesAgreeWithTheirProofs",
		Always:  true,
		Match:   func(d Device) bool { return key(vendor.Intel)(d) || rusticl(d) },
	},
	{
		Name: "dot-macro", Driver: "Intel",
		Symptom: "the integer dot product's macro is defined where the instruction is not",
		Remedy:  "the dot product is probed",
		Source:  "github.com/intel/compute-runtime issue 817",
		Test:    "TestCapabilitiesAgreeWithTheirProofs",
		Always:  true,
		Match:   key(vendor.Intel),
	},
	{
		Name: "macros-without-code", Driver: "Oclgrind",
		Symptom: "defines the macros of fp16 and sub-groups, and stops with a message when such a kernel is made",
		Remedy:  "only declared capabilities are probed",
		Source:  "observed on Oclgrind 21.10",
		Test:    "TestQuirksDecideWhatIsProbed",
		Fix:     DeclaredOnly,
		Match:   key(vendor.Oclgrind),
	},
	{
		Name: "one-thread", Driver: "Oclgrind",
		Symptom: "calls from several threads corrupt its tables and end the process",
		Remedy:  "programs are built one at a time; use it from one goroutine",
		Source:  "observed on Oclgrind 21.10",
		Test:    "TestProgramsAreBuiltOneAtATimeForADriverOfOneThread",
		Fix:     OneThread,
		Match:   key(vendor.Oclgrind),
	},
	{
		Name: "zero-profiling-clocks", Driver: "rusticl; Intel's null driver",
		Symptom: "profiling is accepted and the times of some or all commands are zero",
		Remedy:  "clocks must run for a probe; calibration uses the wall clock",
		Source:  "observed on Mesa 22.3 and Intel's null driver",
		Test:    "TestClocksThatStandStillAreNoProfiling",
		Always:  true,
		Match:   func(d Device) bool { return rusticl(d) || d.Simulated },
	},
}
