package ops

import (
	"fmt"
	"os"

	"github.com/anycl/anycl/internal/exec"
)

// EnvPlace says where graphs run whose Target does not: auto, device or cpu; or how that is decided
// where the Target leaves it to the cost model: fixed or reproducible, as the Target's fields of these names.
const EnvPlace = "ANYCL_PLACE"

// place is where the target is to run and what decides it: what it says, or the environment.
func (t *Target) place() (where Place, by exec.Placing, err error) {
	switch {
	case t.Reproducible:
		by = exec.ByRule
	case t.Fixed:
		by = exec.Once
	}
	name := os.Getenv(EnvPlace)
	if t.Place != Auto || name == "" {
		return t.Place, by, nil
	}
	for p := Auto; p <= OnCPU; p++ {
		if p.String() == name {
			return p, by, nil
		}
	}
	for p := exec.Once; p <= exec.ByRule; p++ {
		if p.String() == name {
			return Auto, max(p, by), nil
		}
	}
	return Auto, by, fmt.Errorf("ops: %s=%s: must be auto, device, cpu, fixed or reproducible", EnvPlace, name)
}
