package matrix

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/anycl/anycl/ops/optest"
	"github.com/anycl/anycl/platform"
)

// step is one thing to do: a part, a random graph, or opening and closing an engine.
type step struct {
	Engine   string
	Op       string `json:",omitempty"`
	DType    string `json:",omitempty"`
	Gradient bool   `json:",omitempty"`
	Graphs   string `json:",omitempty"` // the kind of graph
	Seed     uint64 `json:",omitempty"`
}

// Instead of a kind of graph: the steps of every process, however little it does in between.
const stepOpen, stepClose = "opening", "closing"

func (s step) aside() bool { return s.Graphs == stepOpen || s.Graphs == stepClose }

// event is something that happened, also in another process.
type event struct {
	Head   *Report          `json:",omitempty"` // the part of the report before engines
	Engine string           `json:",omitempty"`
	Plan   []step           `json:",omitempty"` // all that is to do on Engine
	Begin  *step            `json:",omitempty"`
	End    *step            `json:",omitempty"`
	Part   *Part            `json:",omitempty"` // how a part ended
	State  optest.State     `json:",omitempty"` // how a graph ended
	Err    string           `json:",omitempty"`
	Death  string           `json:",omitempty"` // of a process, although all that was under way on Engine passes by itself
	Over   bool             `json:",omitempty"` // this process has done with Engine
	Device *platform.Report `json:",omitempty"`
	Took   time.Duration    `json:",omitempty"`
}

// assembly makes a report of events. It is safe for concurrent use.
type assembly struct {
	progress func(done, all int, what string)
	mu       sync.Mutex
	head     *Report
	engines  []*Engine
	plans    map[string][]step
	begun    map[step]time.Time
	ended    map[step]event
	deaths   map[string][]string // by engine
}

func newAssembly(progress func(done, all int, what string)) *assembly {
	return &assembly{progress: progress, plans: map[string][]step{}, begun: map[step]time.Time{}, ended: map[step]event{},
		deaths: map[string][]string{}}
}

func (a *assembly) apply(e event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case e.Head != nil:
		if a.head == nil {
			a.head = e.Head
		}
	case e.Plan != nil:
		if a.plans[e.Engine] == nil {
			a.plans[e.Engine] = e.Plan
			a.engines = append(a.engines, &Engine{Name: e.Engine})
		}
	case e.Begin != nil:
		a.begun[*e.Begin] = time.Now()
	case e.End != nil:
		delete(a.begun, *e.End)
		if e.End.aside() {
			return
		}
		a.ended[*e.End] = e
		if a.progress != nil {
			all := 0
			for _, p := range a.plans {
				all += len(p)
			}
			a.progress(len(a.ended), all, e.End.Engine+" "+e.End.Op+e.End.Graphs)
		}
	case e.Death != "":
		a.deaths[e.Engine] = append(a.deaths[e.Engine], e.Death)
	case e.Over && e.Engine != "": // without one it is the end of a process
		r := a.engine(e.Engine)
		r.Took += e.Took
		if e.Device != nil {
			r.Device = e.Device
		}
		if r.Err == "" {
			r.Err = e.Err
		}
	}
}

func (a *assembly) engine(name string) *Engine {
	i := slices.IndexFunc(a.engines, func(e *Engine) bool { return e.Name == name })
	if i < 0 {
		a.engines = append(a.engines, &Engine{Name: name})
		i = len(a.engines) - 1
	}
	return a.engines[i]
}

// count is how much has ended.
func (a *assembly) count() int { return len(a.doneSteps()) }

func (a *assembly) doneSteps() []step {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Collect(maps.Keys(a.ended))
}

func (a *assembly) has(s step) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, ok := a.ended[s]
	return ok
}

// takeBegun returns the steps that have begun and not ended, and forgets them.
func (a *assembly) takeBegun() []step {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := slices.Collect(maps.Keys(a.begun))
	clear(a.begun)
	return out
}

// report is the report of all results so far.
func (a *assembly) report(took time.Duration) *Report {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.head
	r.Context.Took, r.Engines = took, a.engines
	for _, e := range r.Engines {
		e.judge(a.deaths[e.Name])
		kinds := map[string]int{}
		for _, s := range a.plans[e.Name] {
			end, ok := a.ended[s]
			switch {
			case s.Graphs == "":
				if ok {
					e.Parts = append(e.Parts, *end.Part)
				}
				continue
			case kinds[s.Graphs] == 0:
				e.Graphs = append(e.Graphs, Graphs{What: s.Graphs})
				kinds[s.Graphs] = len(e.Graphs)
			}
			g := &e.Graphs[kinds[s.Graphs]-1]
			if g.Enter(end.State); end.State == optest.Failed && g.Why == "" {
				g.Why = end.Err
			}
		}
	}
	return r
}
