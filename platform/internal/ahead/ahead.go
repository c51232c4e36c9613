// Package ahead loads programs before they are asked for.
//
// Which programs a graph needs is known when its kernels are planned, and drivers take as long to load them as planning does. So what was
// asked for is noted on disk, and loaded in the next process while that plans. A note that is wrong costs time only.
package ahead

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/diskcache"
)

// Program names a program on disk and what else is needed to load it.
type Program struct {
	ID           string `json:"id"`
	Options      string `json:"options"`
	Bitcode      bool   `json:"bitcode,omitempty"` // it is the bitcode of the program
	InlineDevice bool   `json:"inline,omitempty"`  // it is for the inline device of the device
}

// Loads are the programs of a device that are loaded ahead. A nil Loads does nothing.
type Loads struct {
	Notes *diskcache.Programs
	Load  func(Program) *cl.Program // nil: it cannot be loaded, which is told when it is asked for
	Skips func(Program) bool        // it cannot be loaded yet
	// Slot waits until one more program may be loaded. Who builds programs and takes one of these has a slot too, so that a load that
	// has begun never waits for one.
	Slot func() (release func())
	Warn func(what string, err error)

	work sync.WaitGroup // loads

	mu     sync.Mutex
	closed bool
	early  map[string]*early // by what they are kept as, until they are taken
	had    map[string]bool   // what this process has taken or loaded itself
}

// early is a program that is loaded before it is asked for.
type early struct {
	begun, loaded bool
	done          chan struct{} // closed when it is loaded
	prog          *cl.Program   // nil: it could not be
}

// Graph is what asks for programs: it loads those of an earlier process, and notes those of this one. A nil Graph does nothing.
type Graph struct {
	loads *Loads
	id    string // of the note
	known []Program

	mu    sync.Mutex
	asked []Program
	ended bool
}

// Begin begins to load what the note id names, unless this process has it.
func (l *Loads) Begin(id string) *Graph {
	if l == nil {
		return nil
	}
	g := &Graph{loads: l, id: id}
	if b, err := l.Notes.Load(id); err != nil || b == nil || json.Unmarshal(b, &g.known) != nil {
		g.known = nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed && l.expect(g.known) {
		l.work.Go(g.load)
	}
	return g
}

// expect enters the programs that are to be loaded, and reports whether there are any. The caller holds the mutex.
func (l *Loads) expect(all []Program) (some bool) {
	for _, p := range all {
		if l.had[p.ID] || l.early[p.ID] != nil || l.Skips(p) {
			continue
		}
		if l.early == nil {
			l.early = map[string]*early{}
		}
		l.early[p.ID], some = &early{done: make(chan struct{})}, true
	}
	return some
}

// load loads the programs one after another: drivers share little of that among threads.
func (g *Graph) load() {
	for _, p := range g.known {
		release := g.loads.Slot()
		if e := g.loads.begin(p.ID); e != nil {
			prog := g.loads.Load(p)
			g.loads.mu.Lock()
			e.prog, e.loaded = prog, true
			g.loads.mu.Unlock()
			close(e.done)
		}
		release()
	}
	g.mu.Lock()
	ended := g.ended
	g.mu.Unlock()
	if ended {
		g.drop()
	}
}

// begin is the program id, for the caller to load; nil where it was taken by one who loads it himself.
func (l *Loads) begin(id string) *early {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.early[id]
	if e == nil || e.begun || l.closed {
		return nil
	}
	e.begun = true
	return e
}

// Take is the program id, where it was loaded ahead, for the caller to own; else nil, and the caller loads it or makes it.
func (l *Loads) Take(id string) *cl.Program {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	e := l.early[id]
	delete(l.early, id)
	if l.had == nil {
		l.had = map[string]bool{}
	}
	l.had[id] = true
	l.mu.Unlock()
	if e == nil || !e.begun {
		return nil
	}
	<-e.done
	return e.prog
}

// Settle returns when nothing is being loaded, and says how many programs nobody has taken.
func (l *Loads) Settle() int {
	l.work.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.early)
}

// Close closes what nobody has taken.
func (l *Loads) Close() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.Settle()
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	for _, e := range l.early {
		err = errors.Join(err, e.prog.Close())
	}
	l.early = nil
	return err
}

type key struct{}

// Context is ctx for requests that are to be noted.
func (g *Graph) Context(ctx context.Context) context.Context {
	if g == nil {
		return ctx
	}
	return context.WithValue(ctx, key{}, g)
}

// Note notes p for the graph of ctx, if there is one.
func Note(ctx context.Context, p Program) {
	g, _ := ctx.Value(key{}).(*Graph)
	if g == nil || p.ID == "" {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !slices.Contains(g.asked, p) {
		g.asked = append(g.asked, p)
	}
}

// End keeps the note, and closes programs that nobody asked for. Where none was asked for, as when all are in memory, the old note stays.
func (g *Graph) End() {
	if g == nil {
		return
	}
	g.mu.Lock()
	g.ended = true
	asked := g.asked
	g.mu.Unlock()
	g.drop()
	same := len(asked) == len(g.known) && !slices.ContainsFunc(asked, func(p Program) bool { return !slices.Contains(g.known, p) })
	if len(asked) == 0 || same {
		return
	}
	b, err := json.Marshal(asked)
	if err == nil {
		err = g.loads.Notes.Save(g.id, b)
	}
	g.loads.Warn("note of programs", err)
}

// drop closes the programs of g that nobody has taken, and forgets those that are not begun. Those that are being loaded are dropped
// when they are.
func (g *Graph) drop() {
	g.loads.mu.Lock()
	var idle []*cl.Program
	for _, p := range g.known {
		if e := g.loads.early[p.ID]; e != nil && (e.loaded || !e.begun) {
			delete(g.loads.early, p.ID)
			idle = append(idle, e.prog)
		}
	}
	g.loads.mu.Unlock()
	for _, p := range idle {
		g.loads.Warn("a program that was loaded ahead", p.Close())
	}
}
