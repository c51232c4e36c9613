// Package testdevices chooses the devices that the conformance tests and the conformance matrix run on, and how much is compiled
// for them.
//
// # What is compiled, and how
//
// Nearly all of the time of tests with empty caches is a CPU driver's compiler, on one thread, half of it the
// optimizer's. So a kernel is compiled with the optimizer where it is first of its kind:
//
//   - ops with kernels of their own, in the dtypes that most programs have, with one sample in six unless they are element-wise: the
//     matrix of the root package;
//   - kernels that a family chooses for the device: tests below internal/ocl, of sparse and of the packages below ops;
//   - whole programs, as users run them: most examples;
//   - what is timed.
//
// It is compiled without where the same family, variant and class of dtype is among those: other samples and dtypes, compositions,
// gradients and random graphs of the matrix; variants that a test forces, and kernels for GPUs, which no CPU driver runs for users;
// packages whose graphs consist of tested ops, as nn and frame, or whose tests ask what happens around kernels, and the examples whose
// networks take longest to compile (Unoptimize), and single tests like these (UnoptimizeTest). The whole matrix, EnvMatrix, optimizes all.
package testdevices

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/anycl/anycl/platform"
)

// vendors are those whose absence is worth a line.
var vendors = []string{"nvidia", "amd", "intel", "apple", "arm", "qualcomm", "pocl", "llvmpipe", "oclgrind"}

// Discover finds the devices. Tests compile programs that nothing will use again: a user's cache is
// not the place for it, unless it is named.
func Discover(ctx context.Context) (*platform.Machine, error) {
	cache := cmp.Or(os.Getenv(platform.EnvCache), platform.CacheOff)
	return platform.Discover(ctx, &platform.Options{CacheDir: cache})
}

// Named are the devices of m that specs name, in the grammar of ANYCL_DEVICE. cpuPath tells that
// "none" is among them. Errors: one is missing.
func Named(m *platform.Machine, specs []string) (devices []*platform.Device, cpuPath bool, err error) {
	for _, spec := range specs {
		d, err := m.Select(spec)
		switch {
		case errors.Is(err, platform.ErrNone):
			cpuPath = true
			continue
		case err != nil:
			return nil, false, err
		}
		// A vendor's name does not select one whose name contains it: PoCL on a CPU from AMD is no "amd".
		if slices.Contains(vendors, spec) && d.Key != spec {
			return nil, false, fmt.Errorf("there is no device of %s, only %s", spec, d)
		}
		if !slices.Contains(devices, d) {
			devices = append(devices, d)
		}
	}
	return devices, cpuPath, nil
}

// Usual returns the devices of m that compute in reasonable time or are among named.
func Usual(m *platform.Machine, named []*platform.Device) []*platform.Device {
	return slices.DeleteFunc(slices.Clone(m.Devices), func(d *platform.Device) bool {
		return d.Class == platform.Simulator && !slices.Contains(named, d)
	})
}

// Absent returns the vendors of which m has no device.
func Absent(m *platform.Machine) []string {
	return slices.DeleteFunc(slices.Clone(vendors), func(key string) bool {
		return slices.ContainsFunc(m.Devices, func(d *platform.Device) bool { return d.Key == key })
	})
}

// Specs are the parts of a list with commas.
func Specs(list string) []string {
	var out []string
	for spec := range strings.SplitSeq(list, ",") {
		if spec = strings.TrimSpace(spec); spec != "" {
			out = append(out, spec)
		}
	}
	return out
}
