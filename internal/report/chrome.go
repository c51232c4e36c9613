package report

import (
	"encoding/json"
	"io"
	"slices"
)

// traceEvent is an event of Chrome's trace format. Source: Duca and Sinclair,
// Trace Event Format (2016).
type traceEvent struct {
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Phase    string         `json:"ph"`
	Start    float64        `json:"ts"` // microseconds
	Duration *float64       `json:"dur,omitempty"`
	Process  int            `json:"pid"`
	Thread   int            `json:"tid"`
	Args     map[string]any `json:"args,omitempty"`
}

// WriteTrace writes the timeline of one run as Chrome trace JSON, which
// https://ui.perfetto.dev and chrome://tracing open: a track of the host and one
// of each engine.
func (p *Profile) WriteTrace(w io.Writer) error {
	events := []traceEvent{{Name: "process_name", Phase: "M", Process: 1, Args: map[string]any{"name": p.Graph + " on " + p.Runtime}}}
	var tracks []string
	for i := range p.Spans {
		if name := p.Spans[i].where(); !slices.Contains(tracks, name) {
			tracks = append(tracks, name)
			events = append(events, traceEvent{
				Name: "thread_name", Phase: "M", Process: 1, Thread: len(tracks), Args: map[string]any{"name": name},
			})
		}
	}
	for i := range p.Spans {
		s := &p.Spans[i]
		took := micros(int64(s.End - s.Start))
		e := traceEvent{
			Name: s.Name, Category: "host", Phase: "X", Start: micros(int64(s.Start)), Duration: &took,
			Process: 1, Thread: 1 + slices.Index(tracks, s.where()),
		}
		if s.Task >= 0 {
			t := &p.Tasks[s.Task]
			e.Name, e.Category = t.Name, t.Kind
			e.Args = map[string]any{
				"kernel": s.Name, "variant": t.Variant, "extents": Extents(t.Axes), "caller": t.Caller, "task": s.Task,
				"predicted_us": micros(int64(t.Predicted)), "gflops": t.GFLOPS, "gb_s": t.GBs, "share_of_peak": t.Share,
			}
		}
		events = append(events, e)
	}
	return json.NewEncoder(w).Encode(traceFile{events, "ns"})
}

// traceFile is the content of a file of events.
type traceFile struct {
	Events []traceEvent `json:"traceEvents"`
	Unit   string       `json:"displayTimeUnit"`
}

func micros(ns int64) float64 { return float64(ns) / 1e3 }
