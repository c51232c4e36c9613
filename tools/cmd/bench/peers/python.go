package peers

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/tools/internal/bench"
)

//go:embed server.py
var server string

// Python is a library in a process of its own. It works only while it has its
// turn: requests and answers are lines of JSON, with raw elements behind them.
type Python struct {
	name, version string
	cmd           *exec.Cmd
	in            io.WriteCloser
	out           *bufio.Reader
}

// NewPyTorch and NewNumPy start a Python that has the library: the one that
// ANYCL_PYTHON names, or the first of those that are usual.
func NewPyTorch() (*Python, error) { return newPython(bench.PyTorch, "torch") }

// NewNumPy is the same for NumPy.
func NewNumPy() (*Python, error) { return newPython("numpy", "numpy") }

// NewSciPy is the same for SciPy, which has a thread of its own unless its users write otherwise.
func NewSciPy() (*Python, error) { return newPython(bench.SciPy, "scipy") }

func newPython(name, module string) (*Python, error) {
	if err := CoreType(); err != nil { // both may use OpenBLAS
		return nil, err
	}
	candidates := []string{"python3", "/usr/bin/python3"}
	if p := os.Getenv("ANYCL_PYTHON"); p != "" {
		candidates = []string{p}
	}
	var errs []error
	for _, python := range candidates {
		p := &Python{name: name}
		err := p.start(python, module)
		if err == nil {
			return p, nil
		}
		errs = append(errs, fmt.Errorf("%s: %w", python, err))
	}
	return nil, fmt.Errorf("peers: no Python with %s: %w", module, errors.Join(errs...))
}

func (p *Python) start(python, module string) error {
	p.cmd = exec.Command(python, "-c", server, module, fmt.Sprint(threads()), fmt.Sprint(bench.LearningRate))
	p.cmd.Env = append(os.Environ(), fmt.Sprintf("OMP_NUM_THREADS=%d", threads()), fmt.Sprintf("OPENBLAS_NUM_THREADS=%d", threads()))
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	p.out = bufio.NewReaderSize(out, 1<<20)
	if err := p.cmd.Start(); err != nil {
		return err
	}
	a, err := p.answer()
	p.version = a.Version
	if err != nil {
		return errors.Join(err, p.Close())
	}
	return nil
}

// request is a request to the server.
type request struct {
	Do      string         `json:"do"` // load, run, outputs
	Program *bench.Program `json:"program,omitempty"`
	Sizes   []int          `json:"sizes,omitempty"` // bytes of the operands that follow
	Count   int            `json:"count,omitempty"`
}

// answer is the server's answer.
type answer struct {
	Version string    `json:"version"`
	Error   string    `json:"error"`
	Cannot  bool      `json:"cannot"`
	Times   []float64 `json:"times"`
	Outputs []struct {
		DType string `json:"dtype"`
		Shape []int  `json:"shape"`
		Size  int    `json:"size"`
	} `json:"outputs"`
}

func (p *Python) ask(r request, raw ...[]byte) (answer, error) {
	line, err := json.Marshal(r)
	if err != nil {
		return answer{}, err
	}
	for _, b := range append([][]byte{append(line, '\n')}, raw...) {
		if _, err := p.in.Write(b); err != nil {
			return answer{}, fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return p.answer()
}

func (p *Python) answer() (answer, error) {
	var a answer
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return a, fmt.Errorf("%s: the process ended: %w", p.name, err)
	}
	if err := json.Unmarshal(line, &a); err != nil {
		return a, fmt.Errorf("%s: %q: %w", p.name, line, err)
	}
	switch {
	case a.Cannot:
		return a, fmt.Errorf("%w: %s", bench.ErrCannot, a.Error)
	case a.Error != "":
		return a, fmt.Errorf("%s: %s", p.name, a.Error)
	}
	return a, nil
}

// Name, Version: see [bench.Contender].
func (p *Python) Name() string    { return p.name }
func (p *Python) Version() string { return p.version }

// Close ends the process.
func (p *Python) Close() error { return errors.Join(p.in.Close(), p.cmd.Wait()) }

// Load sends the program and its operands.
func (p *Python) Load(_ context.Context, w *bench.Work, operands []*tensor.Tensor) (bench.Job, error) {
	r := request{Do: "load", Program: w.Program}
	var raw [][]byte
	for _, t := range operands {
		b, _ := t.Bytes()
		r.Sizes = append(r.Sizes, len(b))
		raw = append(raw, b)
	}
	if _, err := p.ask(r, raw...); err != nil {
		return nil, err
	}
	return pythonJob{p}, nil
}

// pythonJob is a program that the process has loaded.
type pythonJob struct{ p *Python }

func (j pythonJob) Run(ctx context.Context, times []time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	a, err := j.p.ask(request{Do: "run", Count: len(times)})
	if err != nil {
		return err
	}
	if len(a.Times) != len(times) {
		return fmt.Errorf("%s: %d times, not %d", j.p.name, len(a.Times), len(times))
	}
	for i, s := range a.Times {
		times[i] = time.Duration(s * float64(time.Second))
	}
	return nil
}

func (j pythonJob) Outputs(context.Context) ([]*tensor.Tensor, error) {
	a, err := j.p.ask(request{Do: "outputs"})
	if err != nil {
		return nil, err
	}
	var out []*tensor.Tensor
	for _, o := range a.Outputs {
		b := tensor.AlignedBytes(o.Size)
		if _, err := io.ReadFull(j.p.out, b); err != nil {
			return nil, err
		}
		dt, err := tensor.ParseDType(o.DType)
		if err != nil {
			return nil, err
		}
		t, err := tensor.FromBytes(dt, b, o.Shape...)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

func (j pythonJob) Close() error {
	_, err := j.p.ask(request{Do: "unload"})
	return err
}
