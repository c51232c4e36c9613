package modelserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/serve"
)

// Model is a model to serve.
type Model struct{ Name, Path string }

// Options say which models to serve, and how.
type Options struct {
	Addr    string // the metrics are at /metrics there
	Device  string
	Models  []Model
	Server  serve.Options       // its Observer is set here
	Load    serve.LoadOptions   // its Runtime is set here
	Reload  time.Duration       // how often to look for files that changed; 0: never
	Drain   time.Duration       // how long to wait for requests at the end
	Wait    time.Duration       // how long to say that it is not ready, before it takes no connections any more
	Started func(addr net.Addr) // is told when the server listens, with all models ready
}

// Run serves until ctx ends, then ends the requests that have begun, and returns nil. Errors: a model cannot be loaded; the address
// cannot be listened at; requests have not ended in time.
func Run(ctx context.Context, o Options) (err error) {
	rt, err := ops.Open(ctx, &ops.Options{Device: o.Device, SpareProc: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rt.Close()) }()
	if o.Server.Log == nil {
		o.Server.Log = slog.New(slog.DiscardHandler)
	}
	o.Server.Log.Info("runtime", "runs", rt.String())
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.Addr) // before models are loaded: an address in use is found at once
	if err != nil {
		return err
	}
	defer listener.Close()

	m := newMetrics()
	o.Server.Observer = m
	s := serve.New(o.Server)
	m.registry.MustRegister(present{s, rt})
	end := func(timeout time.Duration) error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
		defer cancel()
		return s.Shutdown(ctx)
	}
	o.Load.Runtime = rt
	for _, model := range o.Models {
		if err := s.Load(ctx, model.Name, model.Path, o.Load); err != nil {
			return errors.Join(fmt.Errorf("model %q: %w", model.Name, err), end(o.Drain))
		}
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", m.handler())
	mux.Handle("/", s)
	web := &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
		WriteTimeout: time.Minute + 2*o.Server.Timeout,
		ErrorLog:     slog.NewLogLogger(o.Server.Log.Handler(), slog.LevelWarn),
	}
	watching, stop := context.WithCancel(ctx)
	var watch sync.WaitGroup
	if o.Reload > 0 {
		watch.Go(func() { _ = s.Watch(watching, o.Reload) })
	}
	served := make(chan error, 1)
	go func() { served <- web.Serve(listener) }()
	if o.Started != nil {
		o.Started(listener.Addr())
	}
	o.Server.Log.Info("listening", "addr", listener.Addr().String())

	select {
	case err = <-served: // the listener is broken
	case <-ctx.Done():
	}
	o.Server.Log.Info("draining", "at most", o.Drain)
	stop()
	watch.Wait()
	s.Drain()
	time.Sleep(o.Wait)
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), o.Drain)
	defer cancel()
	if closed := web.Shutdown(late); closed != nil {
		err = errors.Join(err, fmt.Errorf("requests were still running: %w", closed), web.Close())
	}
	return errors.Join(err, end(max(o.Drain, time.Second)))
}
