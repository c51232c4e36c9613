package matrix

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/ops/optest"
)

// StepLimit is how long one part or graph may take in a process of its own before it counts as
// one that never ends.
const StepLimit = 5 * time.Minute

// request is the work that a process is asked to do.
type request struct {
	Options    *Options
	Skip, Only []step
}

// Contain is [Run] in processes that command starts, in which [Work] answers. A step that ends its
// process, or does not end within limit, fails in the report by itself, and the rest goes on. Errors:
// the driver ends every process before a device is opened.
func Contain(ctx context.Context, o *Options, command func(ctx context.Context) *exec.Cmd, limit time.Duration) (*Report, error) {
	c := &container{o: o, command: command, limit: limit, all: newAssembly(o.Progress), lost: map[string]bool{}}
	start := time.Now()
	err := c.run(ctx)
	if c.all.head == nil {
		return nil, err
	}
	r := c.all.report(time.Since(start))
	r.Context.Incomplete = err != nil
	return r, err
}

type container struct {
	o       *Options
	command func(ctx context.Context) *exec.Cmd
	limit   time.Duration
	all     *assembly
	lost    map[string]bool // engines that cannot be opened
}

func (c *container) run(ctx context.Context) error {
	for {
		before := c.all.count()
		death := c.process(ctx, c.done(), nil)
		if err := ctx.Err(); err != nil || death == nil {
			return err
		}
		if c.all.head == nil {
			return fmt.Errorf("matrix: looking for devices: %w", death)
		}
		suspects := c.all.takeBegun()
		var guilty, free []step
		for _, s := range suspects {
			switch {
			case s.Graphs == stepClose, s.aside() && c.all.count() == before: // opening is tried twice
				c.lose(s.Engine, fmt.Sprintf("%s: %v", s, death))
				guilty = append(guilty, s)
			case s.aside():
				guilty = append(guilty, s)
			default:
				alone, err := c.one(ctx, s)
				if err != nil {
					return err
				}
				if alone {
					guilty = append(guilty, s)
				} else {
					free = append(free, s)
				}
			}
		}
		switch {
		case guilty == nil && free != nil:
			c.all.apply(event{Engine: free[0].Engine, Death: fmt.Sprintf("%v\nduring %v, which pass by themselves", death, free)})
		case guilty == nil && c.all.count() == before:
			return fmt.Errorf("matrix: %w", death)
		}
	}
}

// one does s in a process of its own, and reports whether it ends that too: then s fails.
func (c *container) one(ctx context.Context, s step) (guilty bool, err error) {
	death := c.process(ctx, nil, []step{s})
	if err := ctx.Err(); err != nil || death == nil {
		return false, err
	}
	c.all.takeBegun()
	if c.all.has(s) { // the step that ended the process comes after it
		c.lose(s.Engine, fmt.Sprintf("after %s: %v", s, death))
		return true, nil
	}
	end := event{End: &s, State: optest.Failed, Err: death.Error()}
	if s.Graphs == "" {
		end.Part = &Part{Op: s.Op, DType: s.DType, Gradient: s.Gradient, Tally: Tally{Failed: 1}, Why: end.Err}
	}
	c.all.apply(end)
	return true, nil
}

func (s step) String() string {
	switch {
	case s.aside():
		return s.Graphs
	case s.Graphs != "":
		return fmt.Sprintf("%s %d", s.Graphs, s.Seed)
	case s.Gradient:
		return "the gradient of " + s.Op
	}
	return s.Op + " in " + s.DType
}

func (c *container) lose(engine, why string) {
	c.lost[engine] = true
	c.all.apply(event{Engine: engine, Over: true, Err: why})
}

// done lists the steps that no further process has to do.
func (c *container) done() []step {
	out := c.all.doneSteps()
	for engine := range c.lost {
		out = append(out, c.all.plans[engine]...)
	}
	return out
}

// process runs one process to its end, which is an error if it is not that of its work.
func (c *container) process(ctx context.Context, skip, only []step) error {
	o := *c.o
	if len(only) == 1 && only[0].Graphs == "" { // nothing beside it, in its kernels too
		o.Ops = []string{only[0].Op}
	}
	ask, err := json.Marshal(request{Options: &o, Skip: skip, Only: only})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	cmd := c.command(ctx)
	var said tailWriter
	cmd.Stdin, cmd.Stderr = bytes.NewReader(ask), &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go c.watch(ctx, cancel)
	over := false
	for lines := bufio.NewReader(out); ; {
		line, err := lines.ReadBytes('\n')
		var e event
		if json.Unmarshal(line, &e) == nil { // a driver may write too
			over = over || e.Over && e.Engine == ""
			c.all.apply(e)
		}
		if err != nil {
			break
		}
	}
	err = cmd.Wait()
	switch cause := context.Cause(ctx); {
	case cause != nil:
		return cause
	case err == nil && over:
		return nil
	case err == nil:
		err = errors.New("ended early")
	}
	return fmt.Errorf("the process ended: %w: %s", err, said.text())
}

// watch ends a process in which a step takes too long.
func (c *container) watch(ctx context.Context, cancel context.CancelCauseFunc) {
	for tick := time.NewTicker(min(c.limit/4, time.Second)); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
		c.all.mu.Lock()
		for s, since := range c.all.begun {
			if time.Since(since) > c.limit {
				cancel(fmt.Errorf("did not end in %v: %s", c.limit, s))
			}
		}
		c.all.mu.Unlock()
	}
}

// tailWriter keeps the end of a process's output.
type tailWriter struct {
	mu sync.Mutex
	b  []byte
}

const tailBytes = 2 << 10

func (t *tailWriter) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, b...)
	if len(t.b) > 64*tailBytes {
		t.b = append(t.b[:tailBytes:tailBytes], t.b[len(t.b)-tailBytes:]...)
	}
	return len(b), nil
}

// text is the beginning, where Go prints the error, in a few lines.
func (t *tailWriter) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.b)), "\n")
	return strings.Join(lines[:min(len(lines), 8)], "\n")
}

// Work runs the steps that [Contain] asks for on in, and writes the results to out.
func Work(ctx context.Context, in io.Reader, out io.Writer) error { return work(ctx, in, out, nil) }

func work(ctx context.Context, in io.Reader, out io.Writer, cpu func() engine.Engine) error {
	var r request
	if err := json.NewDecoder(in).Decode(&r); err != nil {
		return fmt.Errorf("matrix: read what to do: %w", err)
	}
	r.Options.skip, r.Options.only, r.Options.cpu = r.Skip, r.Only, cpu
	var mu sync.Mutex
	r.Options.tell = func(e event) {
		mu.Lock()
		defer mu.Unlock()
		line, err := json.Marshal(e)
		if err != nil {
			panic(err) // these are our own types
		}
		_, _ = out.Write(append(append([]byte("\n"), line...), '\n')) // nobody may be listening any more
	}
	if _, err := Run(ctx, r.Options); err != nil {
		return err
	}
	r.Options.tell(event{Over: true})
	return nil
}
