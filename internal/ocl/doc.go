// Package ocl executes engine tasks on an OpenCL device.
//
// Each package imports only those above it:
//
//	facts     what a device can do
//	access    what the expressions of a task read
//	codegen   programs: kernel files with their hooks filled
//	variant   families of kernels, how one is chosen, and the plan that results
//	maps, reduce, row, contract, attention, scatter, routine, factor, custom
//	          one family or a few: sizes, hooks, launches, and the tests of its kernels
//	families  registers them all
//	draft     programs for devices that are not there
//	hostrun   the threads that run launches of a driver for CPUs
//	ocl       the engine: memory, compiling, running
//
// Package ocltest has the code that tests share: the device, comparison with references, and in ocltest/sample tasks of every kind.
//
// A GPU's sequences run in the device's queue, see queueRunner. Where a driver for CPUs has an inline device, host.go decides
// whether the program's own threads run them, and host_runner.go has them do so.
package ocl
