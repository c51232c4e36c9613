// Package anycl is the front door of a vendor-neutral compute package: one
// graph of tensor operations, written in Go, runs on any OpenCL device that is
// found when the program starts, and on a CPU engine that needs no OpenCL.
//
// The packages, bottom-up; each imports only packages above it in this list, and small ones under
// internal that are not in it:
//
//	cl                  OpenCL itself: a typed binding, loaded at run time, no cgo
//	tensor              host arrays: dtype, shape, strides, views, .npy files
//	kernels             the OpenCL C files, their parameters and launch geometry
//	platform            devices: found, proven, ranked, opened; memory pool, program cache
//	engine              the interface between graph and engines: tasks, and what runs them
//	fallback            the CPU engine: every task in Go, without OpenCL
//	internal/ocl        the engine on an OpenCL device, a package for each family of kernels below it
//	internal/tuner      looks for faster kernels on a device
//	internal/store      variables: tensors that outlive a run, in the memory of several engines
//	internal/ir         the compiler's representation of a graph: nodes, tasks, values
//	internal/lower      the compiler's passes: what shares a task, and in which order tasks run
//	internal/place      which engine runs which task: a minimum cut of predicted times
//	internal/pace       how far predicted times are off, as runs show
//	internal/arena      which values share which bytes
//	internal/plan       where tasks run and where values lie: a program, which is data
//	internal/report     what explain and profile print
//	internal/exec       runs of programs: memory, steps, changes of placement
//	internal/calibrate  measures what predictions rest on
//	internal/backend    opens devices with what is measured, learned and tuned for them; ops meets OpenCL there alone
//	ops                 the graph: define, build, differentiate, simplify, compile
//	ops/linalg          decompositions, solvers, norms and distances of matrices
//	ops/fft             Fourier transforms
//	ops/special         special functions: gamma, Bessel, Airy, orthogonal polynomials
//	ops/interp          interpolation between points
//	ops/optimize        minima and roots, in loops of the graph
//	ops/stencil         weighted sums of neighbours, many times
//	ops/nbody           sums over all pairs of points
//	sparse              sparse matrices: formats, products, solvers, eigenpairs, Matrix Market files
//	ops/cluster         nearest neighbours, clusters, connected parts
//	ops/random          more distributions, and points that fill a cube evenly
//	ops/ode             differential equations, in batches
//	ops/all             registers the ops of all packages, for who calls them by name
//	ops/optest          the conformance suite of ops and engines, with independent references
//	ops/pprof           profiles for go tool pprof
//	frame/column        columns in the layout of Apache Arrow
//	frame               data frames: columns, and queries that are planned before they run
//	frame/csv           frames as comma-separated values
//	frame/jsonl         frames as JSON lines
//	onnx                trained models in ONNX files, as graphs that run
//	serve               models over HTTP, in the Open Inference Protocol
//	tokenizer           text as the numbers that language models read, and back
//	nn                  layers with named parameters, as PyTorch names them
//	optim               optimisers, schedules, clipping, loss scaling, averages
//	safetensors         tensors by name in files that others read and write
//	data                data sets from memory and files, in batches, shuffled and prefetched
//	data/augment        changes images and targets at random, on the device
//	checkpoint          the state of a training, saved whole and restored to the same bits
//	train               the loop: validation, early stop, checkpoints, progress, logs
//	blas                gonum's BLAS on a device: one line in an existing gonum program
//
// Most programs import ops and tensor alone. Start with
//
//	rt, err := ops.Open(ctx, nil)           // the best device, or the CPU engine
//	g := ops.NewGraph("hello")
//	x := g.Input("x", tensor.Float32, 3)
//	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{ops.Mul(x, x)}})
//	out, err := exe.Run(ctx, ops.Feeds{x: t})
//
// Two modules beside this one, which programs need not import: tools, whose command
// tools/cmd/anycl shows devices, ops and plans, and examples, small programs on real
// data. portability_test.go runs every op on every device found against an
// independent reference. docs/design says why things are as they are, and
// docs/glossary.md what terms mean.
//
// # Environment variables
//
//	ANYCL_DEVICE          which device: nvidia, amd:1, intel, pocl, gpu, cpu, none
//	ANYCL_PLACE           where graphs run that do not say: auto, cpu, device; fixed or reproducible for how that is decided
//	ANYCL_VARIANT         kernel variants to force: contract=tile,reduce=item; class=gpu for those of GPUs;
//	                      optimize=off to compile them in less time
//	ANYCL_CACHE           folder of compiled programs and measurements, or off
//	ANYCL_TUNE            folder of tuned kernel parameters, or off
//	ANYCL_STAGING         on or off: bytes go to and from the device through pinned memory
//	ANYCL_TRACE           a file: the timeline of a program, for https://ui.perfetto.dev
//	ANYCL_OPENCL_LIBRARY  path of the OpenCL library to load, the only one tried
//	ANYCL_QUIRKS          workarounds for drivers, on and off: +no-out-of-order,-restore-signals
//	ANYCL_REQUIRE         devices that the tests must find: pocl,nvidia
//	ANYCL_CHECK           bounds: own kernels run between red zones, and what they write there is an error
//	ANYCL_MATRIX          full: the tests run every cell of the matrix on its own
//	ANYCL_DRILLS          full: the long versions of the reliability drills
//
// A value that names something that does not exist is an error that names the variable.
// docs/environment.md has all values, defaults and exceptions.
//
// # Build tags
//
//	noopencl   leave OpenCL out: static binaries, the CPU engine alone
package anycl
