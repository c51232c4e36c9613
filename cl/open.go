package cl

import (
	"errors"
	"log/slog"
	"os"
	"sync"

	"github.com/anycl/anycl/internal/cldriver"
)

// EnvLibrary names the environment variable with the path of the OpenCL library.
const EnvLibrary = "ANYCL_OPENCL_LIBRARY"

// Options configure Open. The zero value is right for most.
type Options struct {
	// Path is the library to load, and the only one tried. Empty: the path in
	// ANYCL_OPENCL_LIBRARY, else the platform's list of names. In a build with the tag
	// cgocl "cgocl" is the linked driver, which otherwise comes last.
	Path string
	// Logger receives warnings (an object lost without Close) and, with Debug,
	// every call. Nil discards.
	Logger *slog.Logger
	// Debug logs each call at level debug with its status and duration. Calls
	// then allocate.
	Debug bool
	// Wrap puts a layer between this package and the library, as this module's
	// tests do to inject faults. Nil means none.
	Wrap func(cldriver.Driver) cldriver.Driver
}

// Open loads an OpenCL library. Nil options mean the defaults. On failure the
// error is a *LoadError that lists every attempt.
func Open(o *Options) (*Library, error) {
	if o == nil {
		o = new(Options)
	}
	log := o.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	drv, err := load(o.Path)
	if err != nil {
		return nil, err
	}
	log.Info("cl: library loaded", "path", drv.Name())
	if o.Wrap != nil {
		drv = o.Wrap(drv)
	}
	if o.Debug {
		drv = cldriver.Intercept(drv, logCalls(log))
	}
	return &Library{drv: drv, log: log}, nil
}

func load(path string) (cldriver.Driver, error) {
	names := append(cldriver.Names(), cldriver.LinkedNames()...)
	if path == "" {
		path = os.Getenv(EnvLibrary)
	}
	if path != "" {
		names = []string{path}
	}
	failed := new(LoadError)
	for _, name := range names {
		open := cldriver.Load
		if name == cldriver.Linked {
			open = cldriver.LoadLinked
		}
		drv, err := open(name)
		if err == nil {
			return drv, nil
		}
		failed.Attempts = append(failed.Attempts, err)
	}
	if len(names) == 0 {
		failed.Attempts = append(failed.Attempts, errors.New("this build cannot load libraries"))
	}
	return nil, failed
}

var shared struct {
	sync.Mutex
	lib *Library
}

// Default returns the library that the whole process shares, opened with default
// options on first use. A failure is not remembered: the next call tries again.
// Do not Close it.
func Default() (*Library, error) {
	shared.Lock()
	defer shared.Unlock()
	if shared.lib == nil {
		lib, err := Open(nil)
		if err != nil {
			return nil, err
		}
		shared.lib = lib
	}
	return shared.lib, nil
}
