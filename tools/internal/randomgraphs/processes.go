package randomgraphs

import (
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

	"golang.org/x/sync/errgroup"
)

// message is what a process writes: how far it is, and at the end its report, which is nil where there is none.
type message struct {
	Progress *Progress `json:",omitempty"`
	Report   *Report   `json:",omitempty"`
	Error    string    `json:",omitempty"` // beside the report
}

// leave is how long a process has for its report once it is to stop.
const leave = time.Minute

// RunApart is [Run] in at most n processes at a time, which command starts and in which [Work] answers: a driver that compiles
// one kernel at a time does so in each. Errors: those of Run; a process ends without a report.
func RunApart(ctx context.Context, o *Options, n int, command func(ctx context.Context) *exec.Cmd) (*Report, error) {
	parts := o.Divide(n)
	reports := make([]*Report, len(parts))
	at := make([]Progress, len(parts))
	var mu sync.Mutex
	var group errgroup.Group
	for i, part := range parts {
		part.Progress = func(p Progress) {
			mu.Lock()
			defer mu.Unlock()
			at[i] = p
			p.Done, p.All, p.Wrong = 0, o.Count, 0
			for _, x := range at {
				p.Done += x.Done
				p.Wrong += x.Wrong
			}
			if o.Progress != nil {
				o.Progress(p)
			}
		}
		group.Go(func() (err error) {
			reports[i], err = part.runIn(command(ctx))
			return err
		})
	}
	err := group.Wait()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return Joined(reports), err
}

// runIn is Run in process c.
func (o *Options) runIn(c *exec.Cmd) (*Report, error) {
	request, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	var last message
	var text bytes.Buffer
	out, w := io.Pipe()
	c.Stdout, c.Stderr = w, &text
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	c.Cancel = in.Close // a terminal signals the process too, and a second signal would end it without a report
	c.WaitDelay = leave
	read := make(chan error, 1)
	go func() {
		defer out.Close() // else a process that writes more would wait
		for d := json.NewDecoder(out); ; {
			var m message
			if err := d.Decode(&m); err != nil {
				read <- err
				return
			}
			if m.Progress != nil {
				o.Progress(*m.Progress)
				continue
			}
			last = m
		}
	}()
	ended := c.Start()
	if ended == nil {
		_, ended = in.Write(request)
		ended = errors.Join(c.Wait(), ended)
	}
	_ = w.Close()
	if err := <-read; err != io.EOF && ended == nil {
		ended = err
	}
	switch {
	case last.Error != "":
		return last.Report, errors.New(last.Error)
	case last.Report == nil:
		return nil, fmt.Errorf("randomgraphs: a process ended without a report: %w\n%s", ended, strings.TrimSpace(text.String()))
	}
	return last.Report, nil
}

// Work answers one call of [RunApart], in the process that it started. It stops early where in ends.
func Work(ctx context.Context, in io.Reader, out io.Writer) error {
	return work(ctx, in, out, func(*Options) {})
}

func work(ctx context.Context, in io.Reader, out io.Writer, change func(o *Options)) error {
	var o Options
	if err := json.NewDecoder(in).Decode(&o); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, in)
		cancel()
	}()
	change(&o)
	enc := json.NewEncoder(out)
	var failed error
	o.Progress = func(p Progress) { failed = errors.Join(failed, enc.Encode(message{Progress: &p})) }
	var m message
	r, err := Run(ctx, &o)
	if m.Report = r; err != nil {
		m.Error = err.Error()
	}
	return errors.Join(failed, enc.Encode(m))
}
