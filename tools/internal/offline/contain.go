package offline

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// EnvWorker tells a process that it compiles for another one, which must then call Work: the
// target, as Contained was given it.
const EnvWorker = "ANYCL_COMPILE_WORKER"

// Contained compiles in processes of its own, workers of them, which call Work: a program at which
// a driver ends its process is refused then, and costs nobody else anything.
func Contained(ctx context.Context, target string, workers int) (Compiler, error) {
	c := &contained{target: target, idle: make(chan *worker, workers)}
	first, err := c.start(ctx)
	if err != nil {
		return nil, err
	}
	c.version = first.version
	c.idle <- first
	for range workers - 1 {
		c.idle <- nil // begun when it is needed
	}
	return c, nil
}

type contained struct {
	target, version string
	idle            chan *worker // as many as there may be; nil for one that has not begun
}

type worker struct {
	cmd     *exec.Cmd
	log     *head
	version string
	asks    *gob.Encoder
	answers *gob.Decoder
	pipes   [2]io.Closer
}

type ask struct{ Source, Options string }

type answer struct {
	Usage              map[string]Usage
	By, Refusal, Error string // of one that failed
}

func (c *contained) Version() string { return c.version }

func (c *contained) Compile(ctx context.Context, source, options string) (map[string]Usage, error) {
	w := <-c.idle
	defer func() { c.idle <- w }()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if w == nil {
		var err error
		if w, err = c.start(ctx); err != nil {
			return nil, err
		}
	}
	stop := context.AfterFunc(ctx, w.kill)
	var a answer
	err := w.asks.Encode(ask{source, options})
	if err == nil {
		err = w.answers.Decode(&a)
	}
	if killed := !stop(); killed || err != nil { // nothing but its end makes a worker silent
		died := w.close()
		log := w.log
		if w = nil; killed {
			return nil, ctx.Err()
		}
		return nil, &Refusal{c.target, fmt.Sprintf("the compiler ended its process: %v\n%s", died, log), true}
	}
	switch {
	case a.Refusal != "":
		return nil, &Refusal{By: a.By, Log: a.Refusal}
	case a.Error != "":
		return nil, errors.New(a.Error)
	}
	return a.Usage, nil
}

func (c *contained) start(ctx context.Context) (*worker, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	w := &worker{cmd: exec.Command(self), log: &head{}}
	w.cmd.Env = append(os.Environ(), EnvWorker+"="+c.target)
	w.cmd.Stdout, w.cmd.Stderr = w.log, w.log
	asks, err := w.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	in, out, err := os.Pipe() // apart from the output of drivers
	if err != nil {
		return nil, err
	}
	w.cmd.ExtraFiles = []*os.File{out}
	w.asks, w.answers, w.pipes = gob.NewEncoder(asks), gob.NewDecoder(in), [2]io.Closer{asks, in}
	err = errors.Join(w.cmd.Start(), out.Close())
	if err == nil {
		stop := context.AfterFunc(ctx, w.kill)
		err = w.answers.Decode(&w.version)
		stop()
	}
	if err == nil {
		return w, nil
	}
	if err = errors.Join(err, w.close()); ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, fmt.Errorf("offline: a worker for %s did not begin: %w\n%s", c.target, err, w.log)
}

func (w *worker) kill() { _ = w.cmd.Process.Kill() } // an error means that it has ended already, which is fine

// close ends the worker and tells how it ended.
func (w *worker) close() error {
	err := errors.Join(w.pipes[0].Close(), w.pipes[1].Close())
	if w.cmd.Process == nil {
		return err
	}
	return errors.Join(err, w.cmd.Wait())
}

func (c *contained) Close() (err error) {
	for range cap(c.idle) {
		if w := <-c.idle; w != nil {
			err = errors.Join(err, w.close())
		}
	}
	return err
}

// Work compiles the programs requested on its standard input until that ends.
func Work(ctx context.Context, c Compiler) error {
	out := os.NewFile(3, "answers")
	if out == nil {
		return errors.New("offline: a worker needs a file 3 for its answers")
	}
	asks, answers := gob.NewDecoder(os.Stdin), gob.NewEncoder(out)
	if err := answers.Encode(c.Version()); err != nil {
		return err
	}
	for {
		var a ask
		if err := asks.Decode(&a); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		var said answer
		var err error
		said.Usage, err = c.Compile(ctx, a.Source, a.Options)
		if no := (*Refusal)(nil); errors.As(err, &no) {
			said.By, said.Refusal = no.By, no.Log
		} else if err != nil {
			said.Error = err.Error()
		}
		if err := answers.Encode(said); err != nil {
			return err
		}
	}
}

// head keeps the beginning of the text written to it, where a crash tells its cause.
type head struct{ text []byte }

const keptLog = 2000

func (t *head) Write(p []byte) (int, error) {
	t.text = append(t.text, p[:min(len(p), keptLog-len(t.text))]...)
	return len(p), nil
}

func (t *head) String() string { return strings.TrimSpace(string(t.text)) }
