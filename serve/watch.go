package serve

import (
	"context"
	"time"
)

// Watch looks every interval whether the files of models that [Server.Load] has loaded have changed, and loads those again that have, as
// soon as two looks have seen the same. A model that cannot be loaded stays as it is, and the log, the observer and the index of the
// protocol say why. Watch returns when ctx ends, with its error. One goroutine watches a server.
func (s *Server) Watch(ctx context.Context, interval time.Duration) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			s.look(ctx)
		}
	}
}

// look loads again the models that have changed.
func (s *Server) look(ctx context.Context) {
	s.mu.Lock()
	all := map[string]*source{}
	for name, e := range s.entries {
		if e.source != nil {
			all[name] = e.source
		}
	}
	s.mu.Unlock()
	for name, src := range all {
		state, err := stateOf(src.path)
		if err != nil {
			state = err.Error()
		}
		stable := state == src.seen
		src.seen = state
		if state == src.loaded { // an error is gone, or nothing has changed
			if src.failed != "" {
				src.failed = ""
				s.failed(name, nil)
			}
			continue
		}
		if !stable || state == src.failed {
			continue
		}
		if err == nil {
			next := *src // which takes the place of src if it can be loaded
			next.failed = ""
			err = s.load(ctx, name, &next)
		}
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			src.failed = state
			s.failed(name, err)
			s.o.Log.Error("model not loaded again; the old one is served", "model", name, "error", err)
		}
		if s.o.Observer != nil {
			s.o.Observer.Reload(name, err)
		}
	}
}

// failed notes why the present files of a model are not served.
func (s *Server) failed(name string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.entries[name]; e != nil {
		e.failed = err
	}
}
