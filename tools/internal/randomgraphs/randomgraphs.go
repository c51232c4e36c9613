// Package randomgraphs checks random graphs by the thousand: what a device and the CPU path make of each is compared with the references of
// its ops, applied one after the other.
//
// Kinds take turns, each with the next seed once all have had the one before, so that a run of more graphs has those of a shorter one. A
// graph that is wrong is made smaller as long as it stays wrong.
package randomgraphs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest"
)

// The kinds of graphs.
const (
	Fixed     = "fixed"     // extents are numbers
	Open      = "open"      // one extent is open
	Divided   = "divided"   // some ops run on the device and some on the CPU path
	Gradients = "gradients" // derivatives of a graph
)

// Kinds are all kinds of graphs.
var Kinds = []string{Fixed, Open, Divided, Gradients}

// Options choose the graphs. The zero value is none.
type Options struct {
	Device string        // in the grammar of ANYCL_DEVICE; "cpu" or "none" is the CPU path
	Kinds  []string      // nil: all
	Count  int           // of graphs
	Seed   uint64        // the first one
	Limit  time.Duration // no graph begins after so long; 0: all do
	Jobs   int           // how many are checked at a time; 0: 2
	// Progress is told how far the run is, one call at a time. Nil: nobody is.
	Progress func(p Progress) `json:"-"`

	wrap    func(e engine.Engine) engine.Engine // the engine that is checked
	shrinks int                                 // how many smaller graphs are tried for one that is wrong; 0: 400
}

// Progress is how far a run is, after a graph of some kind and seed.
type Progress struct {
	Done, All, Wrong int
	Kind             string
	Seed             uint64
}

func (p Progress) String() string { return fmt.Sprintf("%s %d, %d wrong", p.Kind, p.Seed, p.Wrong) }

// Counts are graphs by their outcome.
type Counts struct {
	Agree       int `json:"agree"`
	Wrong       int `json:"wrong"`
	Unsupported int `json:"unsupported"` // the device lacks what they need
}

// Wrong is a graph whose results differ, or that does not run.
type Wrong struct {
	Kind     string `json:"kind"`
	Seed     uint64 `json:"seed"`
	Engine   string `json:"engine"`
	Error    string `json:"error"`
	Smallest string `json:"smallest"` // the error of the smallest graph found that is still wrong
}

// Report is the outcome of a run.
type Report struct {
	Device   string             `json:"device"`
	Variant  string             `json:"variant,omitempty"` // of kernels, where ANYCL_VARIANT forces any
	Seed     uint64             `json:"seed"`
	Wanted   int                `json:"wanted"`
	Checked  int                `json:"checked"` // fewer than wanted where the time was over or the run was interrupted
	Counts   map[string]*Counts `json:"counts"`  // by kind
	Wrong    []*Wrong           `json:"wrong"`
	Duration time.Duration      `json:"duration_ns"`
}

// suite are the checks of each kind, by engine.
type suite map[string][]named

type named struct {
	engine string
	*optest.GraphCheck
}

// newSuite are the checks of e beside the CPU path, which e may be.
func newSuite(e, cpu engine.Engine) suite {
	s := suite{
		Fixed:     {{e.Name(), optest.FixedGraphs(e)}},
		Open:      {{e.Name(), optest.OpenGraphs(e)}},
		Gradients: {{e.Name(), optest.GraphGradients(e, cpu)}},
	}
	if e.Name() == cpu.Name() {
		s[Divided] = []named{{e.Name(), optest.DividedGraphs(e, cpu)}}
		return s
	}
	s[Divided] = []named{{e.Name() + " and " + cpu.Name(), optest.DividedGraphs(e, cpu)}}
	s[Fixed] = append(s[Fixed], named{cpu.Name(), optest.FixedGraphs(cpu)})
	s[Open] = append(s[Open], named{cpu.Name(), optest.OpenGraphs(cpu)})
	return s
}

// kinds are those that are wanted.
func (o *Options) kinds() []string {
	if len(o.Kinds) == 0 {
		return Kinds
	}
	return o.Kinds
}

// Run checks graphs. Those that are wrong are in the report. Errors: a kind is unknown; the device is missing; ctx is done, with
// the report until then.
func Run(ctx context.Context, o *Options) (*Report, error) {
	kinds := o.kinds()
	for _, k := range kinds {
		if !slices.Contains(Kinds, k) {
			return nil, fmt.Errorf("randomgraphs: there is no kind %q, only %s", k, strings.Join(Kinds, ", "))
		}
	}
	device := o.Device
	if device == "cpu" {
		device = "none"
	}
	rt, err := ops.Open(ctx, &ops.Options{Device: device})
	if err != nil {
		return nil, err
	}
	defer rt.Close()
	cpu := fallback.New(nil)
	defer cpu.Close()
	e := rt.Engines()[0]
	if o.wrap != nil {
		e = o.wrap(e)
	}
	checks := newSuite(e, cpu)

	start := time.Now()
	r := &Report{Device: e.Name(), Variant: os.Getenv(variant.EnvVariant), Seed: o.Seed, Wanted: o.Count, Counts: map[string]*Counts{}}
	for _, k := range kinds {
		r.Counts[k] = &Counts{}
	}
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(cmp.Or(o.Jobs, 2))
	for i := range o.Count {
		if ctx.Err() != nil || o.Limit > 0 && time.Since(start) >= o.Limit {
			break
		}
		group.Go(func() error {
			kind, seed := kinds[i%len(kinds)], o.Seed+uint64(i/len(kinds))
			wrong, lacks := checks.check(ctx, kind, seed, cmp.Or(o.shrinks, 400))
			if ctx.Err() != nil {
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			r.Checked++
			switch n := r.Counts[kind]; {
			case wrong != nil:
				n.Wrong++
				r.Wrong = append(r.Wrong, wrong)
			case lacks:
				n.Unsupported++
			default:
				n.Agree++
			}
			if o.Progress != nil {
				o.Progress(Progress{r.Checked, o.Count, len(r.Wrong), kind, seed})
			}
			return nil
		})
	}
	_ = group.Wait() // none returns an error
	r.sort()
	r.Duration = time.Since(start)
	return r, ctx.Err()
}

// check checks one graph on all engines; lacks tells that one of them lacks something.
func (s suite) check(ctx context.Context, kind string, seed uint64, shrinks int) (wrong *Wrong, lacks bool) {
	at := seed
	if kind == Gradients {
		at = 2*seed + 1 // of graphs that have slopes
	}
	for _, c := range s[kind] {
		err := c.Error(ctx, at)
		switch {
		case err == nil:
		case errors.Is(err, engine.ErrUnsupported):
			lacks = true
		default:
			w := &Wrong{Kind: kind, Seed: seed, Engine: c.engine, Error: err.Error()}
			if err := c.Smallest(ctx, at, shrinks); err != nil {
				w.Smallest = err.Error()
			}
			return w, lacks
		}
	}
	return nil, lacks
}

// sort brings what is wrong into the order of seeds.
func (r *Report) sort() {
	slices.SortFunc(r.Wrong, func(a, b *Wrong) int {
		return cmp.Or(cmp.Compare(a.Seed, b.Seed), strings.Compare(a.Kind, b.Kind))
	})
}

// Failed reports whether a graph is wrong.
func (r *Report) Failed() bool { return len(r.Wrong) > 0 }

// WriteText prints what is wrong, with the command that repeats it, and the counts.
func (r *Report) WriteText(w io.Writer) error {
	forced := ""
	if r.Variant != "" {
		forced = variant.EnvVariant + "=" + r.Variant + " "
	}
	for _, x := range r.Wrong {
		fmt.Fprintf(w, "%s graph of seed %d on %s:\n%s\n", x.Kind, x.Seed, x.Engine, x.Error)
		switch {
		case x.Smallest == "":
			fmt.Fprintln(w, "it was right when it ran again")
		case x.Smallest != x.Error:
			fmt.Fprintf(w, "smallest that is wrong: %s\n", x.Smallest)
		}
		fmt.Fprintf(w, "again: %sanycl conformance -suite graphs -device %s -kind %s -seed %d -count 1\n\n", forced, r.Device, x.Kind, x.Seed)
	}
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "graphs\tagree\twrong\tunsupported\t")
	for _, k := range Kinds {
		if n := r.Counts[k]; n != nil {
			fmt.Fprintf(t, "%s\t%d\t%d\t%d\t\n", k, n.Agree, n.Wrong, n.Unsupported)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if forced != "" {
		forced = "with " + forced
	}
	_, err := fmt.Fprintf(w, "%d of %d graphs, from seed %d, on %s %sin %v\n",
		r.Checked, r.Wanted, r.Seed, r.Device, forced, r.Duration.Round(time.Millisecond))
	return err
}
