package matrix

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/anycl/anycl/ops/optest"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

// Report holds the results of one machine.
type Report struct {
	Context Context         `json:"context"`
	Library string          `json:"library,omitempty"`    // OpenCL's
	LoadErr string          `json:"load_error,omitempty"` // why there is no OpenCL
	Absent  []string        `json:"absent"`               // vendors of whom there is no device
	Notes   []platform.Note `json:"notes,omitempty"`      // platforms and devices found and not used
	Engines []*Engine       `json:"engines"`
}

// Context holds the conditions of a run, without which a report means nothing.
type Context struct {
	Time    time.Time     `json:"time"`
	Commit  string        `json:"commit"`
	Go      string        `json:"go"`
	OS      string        `json:"os"`
	Arch    string        `json:"arch"`
	CPU     string        `json:"cpu"`
	Cores   int           `json:"cores"`
	Ops     []string      `json:"ops,omitempty"`     // asked for; empty: all
	DTypes  []string      `json:"dtypes,omitempty"`  // asked for; empty: all
	Devices []string      `json:"devices,omitempty"` // asked for; empty: all
	Full    bool          `json:"full"`              // every sample ran as a kernel of its own
	Took    time.Duration `json:"took_ns"`
	// Incomplete marks a report of a run that was ended before it was through.
	Incomplete bool `json:"incomplete,omitempty"`
}

// Engine is a device, or the CPU path.
type Engine struct {
	Name   string           `json:"name"`             // "pocl:0", "cpu"
	Device *platform.Report `json:"device,omitempty"` // nil: the CPU path
	Err    string           `json:"error,omitempty"`  // why not everything ran on it
	Notes  []string         `json:"notes,omitempty"`  // harmless errors of the driver
	Parts  []Part           `json:"parts"`
	Graphs []Graphs         `json:"graphs"`
	Took   time.Duration    `json:"took_ns"`
}

// Title describes the engine.
func (e *Engine) Title() string {
	if e.Device == nil {
		return "the CPU path: Go, without OpenCL"
	}
	return e.Device.Name
}

// Part is an op in one dtype, or the gradient of one in float32 against that of the CPU path in
// float64. Its numbers count samples.
type Part struct {
	Op       string `json:"op"`
	DType    string `json:"dtype"`
	Gradient bool   `json:"gradient,omitempty"`
	Tally
	Bound string        `json:"bound"`       // the largest error allowed
	By    string        `json:"bound_by"`    // where that comes from
	ULP   float64       `json:"worst_ulp"`   // the largest error, in units in the last place of the dtype
	Share float64       `json:"worst_share"` // the largest error as a share of the allowed one there
	Took  time.Duration `json:"took_ns"`     // building, compiling and running; parts run side by side
	// Bits is a hash of all results, bit by bit, as sixteen hexadecimal digits; empty without any.
	Bits string `json:"bits,omitempty"`
	Why  string `json:"why,omitempty"` // the first that failed, or else is absent
}

// Graphs are random graphs of many ops, or another kind of check beside those of single ops.
type Graphs struct {
	What string `json:"what"`
	Tally
	Why string `json:"why,omitempty"`
}

// Tally counts samples or graphs by outcome.
type Tally struct {
	Passed int `json:"passed"`
	Failed int `json:"failed"`
	Absent int `json:"absent"` // the engine says that it cannot run it
	Left   int `json:"left"`   // left out, as its values are in other kernels
}

func (t *Tally) add(o Tally) {
	t.Passed, t.Failed, t.Absent, t.Left = t.Passed+o.Passed, t.Failed+o.Failed, t.Absent+o.Absent, t.Left+o.Left
}

// State is the one word for a tally.
func (t Tally) State() optest.State {
	switch {
	case t.Failed > 0:
		return optest.Failed
	case t.Passed > 0:
		return optest.Passed
	case t.Absent > 0:
		return optest.Absent
	}
	return optest.Left
}

// Enter counts one outcome.
func (t *Tally) Enter(s optest.State) {
	switch s {
	case optest.Passed:
		t.Passed++
	case optest.Failed:
		t.Failed++
	case optest.Absent:
		t.Absent++
	case optest.Left, optest.Known:
		t.Left++
	}
}

// newPart sums the outcomes of an op in one dtype up.
func newPart(p *optest.Part, gradient bool, outcomes []optest.Outcome) Part {
	r := Part{Op: p.Op.Name, DType: p.DType.String(), Gradient: gradient}
	r.Bound, r.By = "1e-3 of it, or 2e-5 of the largest", "what a derivative in float32 may lose against one in float64"
	result := p.DType
	var absent string
	h, some := fnv.New64a(), false
	for _, o := range slices.SortedFunc(slices.Values(outcomes), func(a, b optest.Outcome) int {
		return cmp.Or(strings.Compare(a.Sample, b.Sample), cmp.Compare(a.Verdict.Bits, b.Verdict.Bits))
	}) {
		if o.Verdict.Bits != 0 {
			fmt.Fprintf(h, "%s %x\n", o.Sample, o.Verdict.Bits)
			some = true
		}
	}
	if some {
		r.Bits = fmt.Sprintf("%016x", h.Sum64())
	}
	for _, o := range outcomes {
		r.Enter(o.State)
		r.Took += o.Took
		switch o.State {
		case optest.Passed:
			result = o.Verdict.DType
			r.ULP, r.Share = max(r.ULP, finite(o.Verdict.ULP)), max(r.Share, finite(o.Verdict.Share))
		case optest.Failed:
			if r.Why == "" {
				r.Why = o.Sample + ": " + o.Err.Error()
			}
		case optest.Absent:
			absent = o.Err.Error()
		}
	}
	if !gradient {
		r.Bound, r.By = optest.Bound(p.Op.Name, result)
	}
	if r.Why == "" {
		r.Why = absent
	}
	return r
}

// finite is v as JSON can hold it.
func finite(v float64) float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return math.MaxFloat64
	}
	return v
}

// Total counts the samples of e.
func (e *Engine) Total() Tally { return sum(e.Parts, func(p Part) Tally { return p.Tally }) }

// GraphTotal counts the random graphs of e.
func (e *Engine) GraphTotal() Tally { return sum(e.Graphs, func(g Graphs) Tally { return g.Tally }) }

// sum adds up the tallies of each.
func sum[T any](all []T, of func(T) Tally) (n Tally) {
	for _, x := range all {
		n.add(of(x))
	}
	return n
}

// Failed reports whether anything went wrong on e.
func (e *Engine) Failed() bool {
	return e.Err != "" || e.Total().Failed > 0 || e.GraphTotal().Failed > 0
}

// Failed reports whether anything went wrong.
func (r *Report) Failed() bool {
	for _, e := range r.Engines {
		if e.Failed() {
			return true
		}
	}
	return false
}

// opRow is an op on one engine.
type opRow struct {
	Name     string
	Tally                     // with the gradient
	Cells    map[string]*Part // by dtype
	Gradient *Part
	ULP      float64
	Share    float64
	Took     time.Duration
}

// rows are the parts of e by op, in order.
func (e *Engine) rows() []*opRow {
	var rows []*opRow
	of := map[string]*opRow{}
	for i := range e.Parts {
		p := &e.Parts[i]
		r := of[p.Op]
		if r == nil {
			r = &opRow{Name: p.Op, Cells: map[string]*Part{}}
			of[p.Op], rows = r, append(rows, r)
		}
		r.add(p.Tally)
		r.Took += p.Took
		if p.Gradient {
			r.Gradient = p
			continue
		}
		r.Cells[p.DType] = p
		r.ULP, r.Share = max(r.ULP, p.ULP), max(r.Share, p.Share)
	}
	return rows
}

// ordered are the cells of r in the usual order of dtypes.
func (r *opRow) ordered() []*Part {
	var out []*Part
	for _, dt := range tensor.DTypes() {
		if p := r.Cells[dt.String()]; p != nil {
			out = append(out, p)
		}
	}
	return out
}

// dtypes are all that a part of r is of, in the usual order.
func (r *Report) dtypes() []string {
	seen := map[string]bool{}
	for _, e := range r.Engines {
		for _, p := range e.Parts {
			if !p.Gradient {
				seen[p.DType] = true
			}
		}
	}
	var out []string
	for _, dt := range tensor.DTypes() {
		if seen[dt.String()] {
			out = append(out, dt.String())
		}
	}
	return out
}
