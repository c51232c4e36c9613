package ops

import (
	"fmt"
	"os"
	"slices"

	"github.com/anycl/anycl/internal/place"
	"github.com/anycl/anycl/internal/report"
)

// EnvPlace says where graphs run whose Target does not: auto, device or cpu; or how that is decided
// where the Target leaves it to the cost model: fixed or reproducible, as the Target's fields of these names.
const EnvPlace = "ANYCL_PLACE"

// placement is what decides where the tasks of an executable run.
type placement uint8

const (
	placedByCost placement = iota // the cost model, and later what runs show
	placedOnce                    // the cost model, in Compile
	placedByRule                  // the first engine that can; see Target.Reproducible
)

func (p placement) String() string { return [...]string{report.Adaptive, "fixed", "reproducible"}[p] }

// place is where the target is to run and what decides it: what it says, or the environment.
func (t *Target) place() (where Place, by placement, err error) {
	switch {
	case t.Reproducible:
		by = placedByRule
	case t.Fixed:
		by = placedOnce
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
	for p := placedOnce; p <= placedByRule; p++ {
		if p.String() == name {
			return Auto, max(p, by), nil
		}
	}
	return Auto, by, fmt.Errorf("ops: %s=%s: must be auto, device, cpu, fixed or reproducible", EnvPlace, name)
}

// placeByRule demands for each task that demands no place itself the first engine that can run it. Tasks
// that must be on one side can run on the same ones.
func placeByRule(p *place.Problem) {
	for i := range p.Tasks {
		t := &p.Tasks[i]
		if t.Only < 0 && p.Only < 0 {
			t.Only = slices.Index(t.Able, true)
		}
	}
}
