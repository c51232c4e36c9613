package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Process is a program of this module that says on a line of its output when it
// has reached something.
type Process struct {
	Package string   // import path
	Args    []string // its command line
	Line    string   // the text that the line begins with or contains
}

// Starter is a contender that can be measured by processes.
type Starter interface {
	Start(ctx context.Context, p *Process) (Job, error)
}

// Start builds the program, which takes the Go tool and the module's source.
func (o *Ours) Start(ctx context.Context, p *Process) (Job, error) {
	device := ""
	if o.place == ops.OnCPU {
		device = "none"
	}
	dir, err := os.MkdirTemp("", "anycl-bench")
	if err != nil {
		return nil, err
	}
	j := &processJob{Process: p, dir: dir, path: filepath.Join(dir, "program"), device: device}
	build := exec.CommandContext(ctx, "go", "build", "-o", j.path, p.Package)
	_, here, _, _ := runtime.Caller(0) // the module may not be the one of the working directory
	build.Dir = filepath.Dir(here)
	if text, err := build.CombinedOutput(); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %s cannot be built here: %w: %s", ErrCannot, p.Package, err, text), j.Close())
	}
	return j, nil
}

type processJob struct {
	*Process
	dir, path, device string
}

// Run starts the program, waits for the line, and ends it.
func (j *processJob) Run(ctx context.Context, times []time.Duration) error {
	for i := range times {
		if err := j.once(ctx, &times[i]); err != nil {
			return err
		}
	}
	return nil
}

func (j *processJob) once(ctx context.Context, took *time.Duration) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := exec.CommandContext(ctx, j.path, j.Args...)
	if j.device != "" {
		cmd.Env = append(os.Environ(), "ANYCL_DEVICE="+j.device)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	reached := false
	for !reached && lines.Scan() {
		reached = strings.Contains(lines.Text(), j.Line)
	}
	*took = time.Since(start)
	stop()
	err = cmd.Wait()
	if !reached {
		return fmt.Errorf("bench: %s ended without a line %q: %w", j.Package, j.Line, errors.Join(err, lines.Err()))
	}
	return nil // how it ended is our doing
}

func (j *processJob) Outputs(context.Context) ([]*tensor.Tensor, error) { return nil, nil }

func (j *processJob) Close() error { return os.RemoveAll(j.dir) }

var (
	_ Starter = (*Ours)(nil)
	_ Starter = halfSecond{}
)

// halfSecond is a contender that reaches every line in half a second.
type halfSecond struct{}

func (halfSecond) Name() string    { return LimitHalfSecond }
func (halfSecond) Version() string { return "a figure" }
func (halfSecond) Close() error    { return nil }

func (halfSecond) Load(context.Context, *Work, []*tensor.Tensor) (Job, error) {
	return nil, fmt.Errorf("%w: it is for processes", ErrCannot)
}

func (halfSecond) Start(context.Context, *Process) (Job, error) { return halfSecond{}, nil }

func (halfSecond) Run(_ context.Context, times []time.Duration) error {
	for i := range times {
		times[i] = time.Second / 2
	}
	return nil
}

func (halfSecond) Outputs(context.Context) ([]*tensor.Tensor, error) { return nil, nil }
