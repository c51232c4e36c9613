// Package anycl is the front door of a vendor-neutral compute package: one
// graph of tensor operations, written in Go, runs on any OpenCL device that is
// found when the program starts, and on a CPU path that needs no OpenCL.
//
// The rooms, from the ground up; each imports only what stands above it here:
//
//	cl         OpenCL itself: a typed binding, loaded at run time, no cgo
//	tensor     host arrays: dtype, shape, strides, views, .npy files
//	kernels    the OpenCL C files, their parameters and launch geometry
//	platform   devices: found, proven, ranked, opened; memory pool, program cache
//	engine     the seam: tasks, and what an engine that runs them must offer
//	fallback   the CPU path, an engine on gonum
//	ops        the graph: build, differentiate, fuse, place, plan, run
//	blas       gonum's BLAS on a device: one line in an existing gonum program
//
// Most programs import ops and tensor alone. Start with
//
//	rt, err := ops.Open(ctx, nil)           // the best device, or the CPU path
//	g := ops.NewGraph("hello")
//	x := g.Input("x", tensor.Float32, 3)
//	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{ops.Mul(x, x)}})
//	out, err := exe.Run(ctx, ops.Feeds{x: t})
//
// cmd/anycl shows devices, ops and plans; examples holds small programs on real
// data; portability_test.go runs every op on every device found against an
// independent reference. RATIONALE.md says why things are as they are.
//
// # Environment variables
//
//	ANYCL_DEVICE          which device: nvidia, amd:1, intel, pocl, gpu, cpu, none
//	ANYCL_PLACE           where graphs run that do not say: auto, cpu, device; fixed or reproducible for how that is decided
//	ANYCL_VARIANT         kernel variants to force: contract=tile,reduce=item; class=gpu for those of GPUs
//	ANYCL_CACHE           folder of compiled programs and measurements, or off
//	ANYCL_TUNE            folder of tuned kernel parameters, or off
//	ANYCL_STAGING         on or off: bytes go to and from the device through pinned memory
//	ANYCL_OPENCL_LIBRARY  path of the OpenCL library to load, the only one tried
//	ANYCL_QUIRKS          workarounds for drivers, on and off: +no-out-of-order,-restore-signals
//	ANYCL_REQUIRE         devices that the tests must find: pocl,nvidia
//	ANYCL_CHECK           bounds: own kernels run between red zones, and what they write there is an error
//	ANYCL_MATRIX          full: the tests run every cell of the matrix on its own
//	ANYCL_DRILLS          full: the long versions of the reliability drills
//
// Under PoCL, GLIBC_TUNABLES is set for the programs that the driver starts, unless it is set already: see RATIONALE.md.
//
// What is named and does not exist is an error that names the variable, never passed over: an absent device, a library
// that cannot be loaded, a variant, quirk or place that there is none of. There are two exceptions. With the device
// "none" no library is needed, so one that cannot be loaded is no error. And a folder of ANYCL_CACHE or ANYCL_TUNE
// that cannot be used costs time, never a failure: it only makes the next start faster, and a full or
// read-only disk must not end a program that computes; the log says so.
//
// # Build tags
//
//	noopencl   leave OpenCL out: static binaries, the CPU path alone
package anycl
