package ops

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/anycl/anycl/internal/place"
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

func (p placement) String() string { return [...]string{"adaptive", "fixed", "reproducible"}[p] }

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

// PlacementReport is one placement of an executable that has had several.
type PlacementReport struct {
	Where    string        `json:"where"`       // how many tasks on which engines
	Runs     uint64        `json:"runs"`        // that were computed so
	Measured time.Duration `json:"measured_ns"` // the median of a run, 0 before there are enough
	Now      bool          `json:"now,omitempty"`
}

// placements are those that x, or what it belongs to, has had, the first one first.
func (x *Executable) placements() []PlacementReport {
	all := []*Executable{x}
	if a := x.adaptive; a != nil {
		a.mu.Lock()
		all = slices.Clone(a.plans)
		a.mu.Unlock()
	}
	reports := make([]PlacementReport, len(all))
	for i, y := range all {
		took, _ := y.clock.Median()
		reports[i] = PlacementReport{Where: y.spread(), Runs: y.served.Load(), Measured: took, Now: y == x}
	}
	return reports
}

// placed says how it was decided where tasks run, and what that came to.
func (r *Report) placed() string {
	switch {
	case len(r.Placements) > 1:
		var parts []string
		for _, p := range r.Placements {
			now := ""
			if p.Now {
				now = ", now"
			}
			parts = append(parts, fmt.Sprintf("%s in %d runs%s", p.Where, p.Runs, now))
		}
		return r.Placement + " placement: " + strings.Join(parts, "; ")
	case r.Placement != placedByCost.String():
		return r.Placement + " placement"
	}
	return ""
}
