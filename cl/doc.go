// Package cl is a typed binding of OpenCL 1.2 to 3.0 that is loaded while the
// program runs: building needs no C compiler, no headers and no library.
//
//	lib, err := cl.Default()
//	platforms, err := lib.Platforms()
//	devices, err := platforms[0].Devices(cl.DeviceAll)
//	ctx, err := lib.NewContext(devices[0])
//	defer ctx.Close()
//	queue, err := ctx.NewQueue(devices[0], cl.QueueOptions{})
//	defer queue.Close()
//	prog, err := ctx.NewProgram(source)
//	defer prog.Close()
//	err = prog.Build("-cl-std=CL1.2")
//	kernel, err := prog.Kernel("saxpy")
//	defer kernel.Close()
//
// # Loading
//
// Nothing is loaded when the program starts. [Open] and [Default] load the library: the one that
// Options.Path names, else the one that the environment names, else the first of the platform's
// usual names that works (on Linux libOpenCL.so.1, libOpenCL.so and vendors' own libraries, on
// Windows OpenCL.dll of the system folder, on macOS the framework). A [LoadError] lists the
// libraries that were tried. The first [Library.Platforms] makes the loader open every vendor's
// driver, which takes long beside a call.
//
// Functions are found by name. Functions of newer versions and extensions may be missing; using one
// then returns an error that wraps [ErrUnsupported].
//
// # Environment variables
//
//	ANYCL_OPENCL_LIBRARY  path of the OpenCL library; the only one tried
//
// Loaders and drivers read their own, as OCL_ICD_VENDORS or POCL_CACHE_DIR.
//
// # Build tags
//
//	noopencl  leave the loader out: Open always returns ErrNoLibrary
//
// The loader is in builds for Linux, macOS and Windows on amd64 and arm64; all
// others behave as with noopencl. It makes Linux binaries link libc dynamically,
// which static builds avoid with the tag.
//
// # Concurrency
//
// [Library], [Platform], [Device], [Context], [Queue], [Buffer], [Image],
// [Sampler], [SVM] and [Event] are safe for concurrent use, and so is Close on
// everything. A [Kernel] belongs to one goroutine at a time, from setting
// arguments to launching: use [Kernel.Clone]. So does a [Program] while it is
// built and a [CommandBuffer] while it is recorded. A call that waits blocks an
// operating system thread.
//
// # Lifetimes
//
// Everything that is made is closed with Close, which may be called twice, in any order: an object
// goes when its children are closed and no running call uses it. Using a closed object returns an
// error that wraps [ErrClosed]. An object dropped without Close is released by a later call after
// the garbage collector has noticed, with a warning in the log; do not count on it. [Library.Stats]
// counts the live objects.
//
// Host memory given to a blocking call is used during the call only. That of a
// call which returns an event is kept in place until the command is done.
//
// # Drivers' signal handlers
//
// Some drivers replace the process's signal handlers while they start. This
// package puts the old ones back, so that a nil dereference in Go still panics.
package cl
