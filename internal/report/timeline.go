package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math/bits"
	"path/filepath"
	"sync"
	"time"

	"github.com/anycl/anycl/internal/wholefile"
)

// Timeline collects the activities of a whole program on its engines, for one file in Chrome's trace format: a process for each
// graph, in it a track of the host and one of each engine. It is safe for concurrent use.
type Timeline struct {
	path  string
	epoch time.Time

	mu     sync.Mutex
	events []traceEvent
	graphs map[string]int    // process numbers
	tracks map[[2]string]int // thread numbers, by graph and track
}

// timelines are the timelines of this process, by path: runtimes that write to one file share it.
var timelines = struct {
	sync.Mutex
	of map[string]*Timeline
}{of: map[string]*Timeline{}}

// TimelineTo is the timeline that is written to path. Errors: the file cannot be made.
func TimelineTo(path string) (*Timeline, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	timelines.Lock()
	defer timelines.Unlock()
	if t := timelines.of[path]; t != nil {
		return t, nil
	}
	t := &Timeline{path: path, epoch: time.Now(), graphs: map[string]int{}, tracks: map[[2]string]int{}}
	if err := t.Write(); err != nil {
		return nil, err
	}
	timelines.of[path] = t
	return t, nil
}

// Wants reports whether run n of an executable, from 0, is recorded: the first 32, and each whose number is a power of two, so that
// a program that runs for days has a file that can be read.
func (t *Timeline) Wants(n uint64) bool { return t != nil && (n < 32 || bits.OnesCount64(n) == 1) }

// Host notes what the host did for a graph since start.
func (t *Timeline) Host(graph, name string, start time.Time) {
	if t == nil {
		return
	}
	t.add(graph, Host, name, "host", start.Sub(t.epoch), time.Since(t.epoch), nil)
}

// Add notes a run that r has recorded, whose tasks are those of p.
func (t *Timeline) Add(graph string, r *Recorder, tasks []Task) {
	offset := r.epoch.Sub(t.epoch)
	for i := range r.spans {
		s := &r.spans[i]
		name, category, args := s.Name, "host", map[string]any(nil)
		if s.Task >= 0 {
			task := &tasks[s.Task]
			name, category = task.Name, task.Kind
			args = map[string]any{"kernel": s.Name, "variant": task.Plan.Variant, "extents": Extents(task.Axes), "caller": task.Caller,
				"task": s.Task}
		}
		t.add(graph, s.where(), name, category, s.Start+offset, s.End+offset, args)
	}
}

func (t *Timeline) add(graph, track, name, category string, start, end time.Duration, args map[string]any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	process, ok := t.graphs[graph]
	if !ok {
		process = len(t.graphs) + 1
		t.graphs[graph] = process
		t.events = append(t.events, traceEvent{Name: "process_name", Phase: "M", Process: process, Args: map[string]any{"name": graph}})
	}
	key := [2]string{graph, track}
	thread, ok := t.tracks[key]
	if !ok {
		thread = len(t.tracks) + 1
		t.tracks[key] = thread
		t.events = append(t.events, traceEvent{Name: "thread_name", Phase: "M", Process: process, Thread: thread,
			Args: map[string]any{"name": track}})
	}
	took := micros(int64(end - start))
	t.events = append(t.events, traceEvent{
		Name: name, Category: category, Phase: "X", Start: micros(int64(start)), Duration: &took, Process: process, Thread: thread, Args: args,
	})
}

// Write writes the events so far to the file.
func (t *Timeline) Write() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	err := wholefile.Write(t.path, func(w io.Writer) error { return json.NewEncoder(w).Encode(traceFile{t.events, "ns"}) }, nil)
	if err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	return nil
}
