package serve

import (
	"runtime/debug"
	"time"
)

// Observer is told of the events of a server. Its methods are called from many goroutines, and are not to wait.
type Observer interface {
	// Request is told of each request when it has ended.
	Request(RequestInfo)
	// Batch is told of each run of a model.
	Batch(BatchInfo)
	// Reload is told when a model was loaded again because its files have changed, or could not be.
	Reload(model string, err error)
}

// RequestInfo is a request that has ended.
type RequestInfo struct {
	Model, Version string // empty where there is no such model
	Infer          bool   // it asked for inference
	// Code is that of the answer; 499 where the client has gone before.
	Code     int
	Rows     int
	Duration time.Duration
	Queued   time.Duration // how long it waited for its batch
}

// BatchInfo is a run of a model.
type BatchInfo struct {
	Model, Version string
	Requests       int
	Rows           int // of the requests
	Size           int // of the batch, with the rows that fill it up
	Duration       time.Duration
	Err            error
}

// ModelStatus is a model as it is now.
type ModelStatus struct {
	Name, Version string
	Ready         bool
	Batched       bool
	Why           string // why requests are not batched
	Queued        int    // requests that wait
	Running       int    // batches that run
	Failed        error  // why the model that is in its folder now is not served
}

// Models are the models, by name.
func (s *Server) Models() []ModelStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]ModelStatus, 0, len(s.entries))
	for _, name := range sortedKeys(s.entries) {
		e := s.entries[name]
		v := e.current
		m := ModelStatus{Name: name, Version: v.name, Ready: !s.drains, Batched: v.batches(), Why: v.alone, Failed: e.failed}
		m.Queued, m.Running = v.queue.load()
		all = append(all, m)
	}
	return all
}

// moduleVersion is the version of the module that this package is of, as the build knows it.
func moduleVersion() string {
	const path = "github.com/anycl/anycl"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == path && m.Version != "" && m.Replace == nil {
			return m.Version
		}
	}
	return "devel"
}
