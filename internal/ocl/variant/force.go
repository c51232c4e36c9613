package variant

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// EnvVariant names the environment variable that forces kernel variants, as in "reduce=item,contract=tile". A variant that cannot run
// a task is not forced on it; one that does not exist is an error of ops.Open. "thread=caller", "thread=pool" and "thread=workers"
// force the threads that graphs run on where a driver leaves the choice. "class=gpu" plans everything as for a GPU with the limits and
// capabilities of the device. "optimize=off" has programs compiled without optimization, in half the time on CPU drivers.
const EnvVariant = "ANYCL_VARIANT"

// Class is the name under which EnvVariant forces the class of the device that is planned for.
const Class, ClassGPU = "class", "gpu"

// Optimize is the name under which EnvVariant switches the compiler's optimization off.
const Optimize, OptimizeOff = "optimize", "off"

// Forced is the variant that the list s demands for a family, or "".
func Forced(s, name string) string {
	for part := range strings.SplitSeq(s, ",") {
		if n, v, ok := strings.Cut(strings.TrimSpace(part), "="); ok && n == name {
			return v
		}
	}
	return ""
}

// forcible are the names that a list of variants may have, by family.
func forcible() map[string][]string {
	all := variantNames()
	all[Thread] = []string{ThreadCaller, ThreadPool, ThreadDriver}
	all[Class] = []string{ClassGPU}
	all[Optimize] = []string{OptimizeOff}
	return all
}

// checkVariants returns the error of a list of variants in the format of EnvVariant: a part that is not
// family=name, a family or a variant that does not exist, a family that is named twice.
func checkVariants(list string) error {
	known, seen := forcible(), map[string]bool{}
	for part := range strings.SplitSeq(list, ",") {
		part = strings.TrimSpace(part)
		family, name, ok := strings.Cut(part, "=")
		names := known[family]
		switch {
		case part == "":
		case !ok:
			return fmt.Errorf("%q is not family=variant, as contract=tile", part)
		case names == nil:
			return fmt.Errorf("there is no family %q; there are: %s", family, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		case !slices.Contains(names, name):
			return fmt.Errorf("%s has no variant %q; it has: %s", family, name, strings.Join(names, ", "))
		case seen[family]:
			return fmt.Errorf("%s is named twice", family)
		}
		seen[family] = part != ""
	}
	return nil
}

// CheckEnvironment is CheckVariants for EnvVariant.
func CheckEnvironment() error {
	if err := checkVariants(ForcedByEnv()); err != nil {
		return fmt.Errorf("ocl: %s=%s: %w", EnvVariant, ForcedByEnv(), err)
	}
	return nil
}

// ForcedByEnv is the list of variants in the environment.
func ForcedByEnv() string { return os.Getenv(EnvVariant) }

// Names of the sites, as EnvVariant takes them: "thread=caller".
const (
	Thread       = "thread"
	ThreadCaller = "caller"
	ThreadPool   = "pool"
	ThreadDriver = "workers"
)
