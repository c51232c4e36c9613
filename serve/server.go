package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Options say how a server treats all requests. The zero value is right for most.
type Options struct {
	// Name and Version are those that the server reports of itself; empty: "anycl" and the version of the module.
	Name, Version string
	// MaxBody is the most bytes that the body of a request may have, also when it is unpacked; 0 means 64 MiB.
	MaxBody int64
	// MaxBodies is the most bytes that bodies of all requests may have at a time; 0 means 16 times MaxBody.
	MaxBodies int64
	// Timeout is the most time that a request may take, from when its body was read; 0 means 30 s. A request can ask for less by its
	// parameter "timeout", in microseconds.
	Timeout time.Duration
	// Log receives a record for each request, at level Info, and for events of models; nil discards.
	Log *slog.Logger
	// Observer is told of requests and batches; nil: nobody is.
	Observer Observer
}

// ModelOptions say how requests to a model are scheduled. The zero value is right for most.
type ModelOptions struct {
	// MaxBatch is the most rows of a batch; 0 means 32, and 1 that requests run alone.
	MaxBatch int
	// Delay is how long the first request of a batch waits for others while the model is free; 0: not at all, so that batches consist of
	// requests that come while another one runs. Where waits have brought nothing of late, only one in 128 batches waits, to find out
	// whether they do now.
	Delay time.Duration
	// Queue is how many requests may wait; 0 means 256. Others get the code 429.
	Queue int
	// Concurrency is how many batches run at a time; 0 means 1.
	Concurrency int
}

// Server answers requests for its models. It is an http.Handler, and safe for several goroutines.
type Server struct {
	o       Options
	bodies  atomic.Int64 // bytes held
	mu      sync.Mutex
	entries map[string]*entry
	drains  bool
	active  int           // requests to models, and models that are being closed
	idle    chan struct{} // closed when there are none; nil: nobody waits for it
}

// ErrClosed is the error of a server that was shut down.
var ErrClosed = errors.New("serve: the server is shut down")

// New returns a server without models.
func New(o Options) *Server {
	if o.Name == "" {
		o.Name = "anycl"
	}
	if o.Version == "" {
		o.Version = moduleVersion()
	}
	if o.MaxBody <= 0 {
		o.MaxBody = 64 << 20
	}
	if o.MaxBodies <= 0 {
		o.MaxBodies = 16 * o.MaxBody
	}
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Server{o: o, entries: map[string]*entry{}}
}

// validName holds of names that can stand in a path and in a metric.
var validName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`) })

func checkName(what, name string) error {
	if !validName().MatchString(name) {
		return fmt.Errorf("serve: the %s %q is not made of letters, digits, dots, lines and underscores", what, name)
	}
	return nil
}

// Add serves r as a version of the model of that name. A model of this name that is already there is replaced when r is ready: from then
// on requests go to r; those before end on the old one, which is then closed, and its files are not watched any more. The server closes r,
// also when Add fails. Errors: names that cannot stand in a path; those of running r for the first time; [ErrClosed].
func (s *Server) Add(ctx context.Context, name, version string, r Runner, o ModelOptions) error {
	return s.add(ctx, name, version, r, o, nil)
}

// add is Add of a model that comes from src; nil: from the program.
func (s *Server) add(ctx context.Context, name, version string, r Runner, o ModelOptions, src *source) error {
	v, err := newVersion(ctx, s, name, version, r, o)
	if err != nil {
		return errors.Join(err, r.Close())
	}
	return s.serve(v, src)
}

// serve puts a version, which comes from src, in place of the present one.
func (s *Server) serve(v *version, src *source) error {
	s.mu.Lock()
	if s.drains {
		s.mu.Unlock()
		return errors.Join(ErrClosed, v.release())
	}
	e := s.entries[v.model]
	if e == nil {
		e = &entry{}
		s.entries[v.model] = e
	}
	old := e.current
	e.current, e.source, e.failed = v, src, nil
	s.mu.Unlock()
	s.o.Log.Info("model ready", "model", v.model, "version", v.name, "batched", v.batches(), "why", v.alone)
	if old != nil {
		_ = old.release() // is logged, and not a failure of the new one
	}
	return nil
}

// Remove ends the serving of a model; requests that have begun end first. Errors: there is none of that name; those of closing it.
func (s *Server) Remove(name string) error {
	s.mu.Lock()
	e := s.entries[name]
	delete(s.entries, name)
	s.mu.Unlock()
	if e == nil {
		return fmt.Errorf("serve: there is no model %q", name)
	}
	return e.current.release()
}

// Drain makes the server refuse requests for inference, and say that it is not ready, while those that have begun go on.
func (s *Server) Drain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drains = true
}

// Shutdown drains the server, waits for requests to end, and closes the models after the runs that requests gave up. When ctx ends first,
// its error is returned; models are then closed when their last run has ended, for which another call waits. After that, calling it again
// does nothing more.
func (s *Server) Shutdown(ctx context.Context) error {
	s.Drain()
	var errs []error
	select {
	case <-s.rest():
	case <-ctx.Done():
		errs = append(errs, fmt.Errorf("serve: requests were still running: %w", ctx.Err()))
	}
	s.mu.Lock()
	entries := slices.Collect(maps.Values(s.entries))
	clear(s.entries)
	s.mu.Unlock()
	closed := make(chan error, len(entries))
	for _, e := range entries {
		s.enter()
		go func() {
			defer s.end()
			closed <- e.current.release()
		}()
	}
	if len(errs) > 0 {
		return errs[0]
	}
	for range entries {
		select {
		case err := <-closed:
			errs = append(errs, err)
		case <-ctx.Done():
			return errors.Join(append(errs, fmt.Errorf("serve: models were still running: %w", ctx.Err()))...)
		}
	}
	return errors.Join(errs...)
}

// enter counts a request until end.
func (s *Server) enter() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active++
}

func (s *Server) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active--; s.active == 0 && s.idle != nil {
		close(s.idle)
		s.idle = nil
	}
}

// rest is closed when no requests are active.
func (s *Server) rest() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.idle == nil {
		s.idle = make(chan struct{})
	}
	idle := s.idle
	if s.active == 0 {
		close(s.idle)
		s.idle = nil
	}
	return idle
}

func (s *Server) draining() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.drains
}

// find is the version that answers; its user releases it. Versions other than the one that is served are not there.
func (s *Server) find(name, version string) (*version, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entries[name]
	switch {
	case e == nil:
		return nil, failure(404, "there is no model %q", name)
	case version != "" && version != e.current.name:
		return nil, failure(404, "the model %q has no version %q: the version that is served is %q", name, version, e.current.name)
	}
	e.current.acquire()
	return e.current, nil
}
