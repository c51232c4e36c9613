package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/tools/internal/matrix"
	"github.com/anycl/anycl/tools/internal/term"
)

type matrixOptions struct {
	devices, ops, dtypes, outs []string
	full, asJSON, contain      bool
	graphs                     int
	against                    string
}

// errDisagree is why the command fails where the report says what.
var (
	errDisagree = errors.New("not everything agrees with the reference")
	errDiffers  = errors.New("not every result has the bits that it had before")
)

func newMatrix() *cobra.Command {
	var o matrixOptions
	c := &cobra.Command{
		Use:   "matrix",
		Short: "check every op in every dtype on every device against the reference, and write a report",
		Long: `Matrix runs every op in every dtype on every device of this machine and on the CPU
path, compares each result with a reference in float64 or exact integers, then
does the same with gradients, with folds over millions of values and with random
graphs. What is beyond the bounds of the OpenCL specification is a failure, and the
exit code is 1.

  anycl matrix                          everything: minutes, as drivers compile for each op
  anycl matrix -device pocl -op exp     one op on one device
  anycl matrix -device gpu/2:0,gpu/2:1  on the halves of a device
  anycl matrix -o report.html           a page to look at, by itself in one file; .json for programs
  anycl matrix -full                    every sample as a kernel of its own: longer
  anycl matrix -against before.json     also compare every bit with a report of the same device: of another
                                        library or version, or before a change
  anycl matrix -contain                 a driver that crashes costs an op, not the report

Ended by an interrupt (ctrl-C, SIGTERM), it writes the report of what was done until then, marked incomplete,
and the exit code is 1.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if len(o.ops)+len(o.dtypes) > 0 && !c.Flags().Changed("graphs") {
				o.graphs = 0 // those have ops and dtypes of their own choice
			}
			return o.run(c.Context(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.StringSliceVar(&o.devices, "device", nil, "devices to check, as in ANYCL_DEVICE; none is the CPU path (default: all, and the CPU path)")
	f.StringSliceVar(&o.ops, "op", nil, "ops to check, without random graphs unless -graphs is given (default: all)")
	f.StringSliceVar(&o.dtypes, "dtype", nil, "dtypes to check, without random graphs unless -graphs is given (default: all)")
	f.StringSliceVarP(&o.outs, "out", "o", nil, "write the report to this file too: .html, .json or .txt; may be repeated")
	f.BoolVar(&o.full, "full", false, "run every sample as a kernel of its own")
	f.IntVar(&o.graphs, "graphs", 16, "random graphs of each kind on each engine; 0 leaves out long folds, too")
	f.BoolVar(&o.contain, "contain", false, "work in processes that start anew where a driver ends one: a crash is a failure of its op alone")
	f.StringVar(&o.against, "against", "", "compare every bit of the results with this report, a .json of earlier")
	jsonFlag(c, &o.asJSON)
	return c
}

// newMatrixWorker is the command that matrix -contain starts.
func newMatrixWorker() *cobra.Command {
	return &cobra.Command{Use: "matrix-worker", Hidden: true, Args: noArgs, RunE: func(c *cobra.Command, _ []string) error {
		return matrix.Work(c.Context(), c.InOrStdin(), c.OutOrStdout())
	}}
}

// worker is this program as a worker.
func worker(ctx context.Context) *exec.Cmd { return itself(ctx, "matrix-worker") }

// itself is this program with another command.
func itself(ctx context.Context, command string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	return exec.CommandContext(ctx, self, command)
}

// writers are the kinds of file that a report can be.
var writers = map[string]func(r *matrix.Report, w io.Writer) error{
	".html": (*matrix.Report).WriteHTML,
	".txt":  (*matrix.Report).WriteText,
	".json": func(r *matrix.Report, w io.Writer) error { return writeJSON(w, r) },
}

func (o *matrixOptions) run(ctx context.Context, out, errOut io.Writer) error {
	mo, err := o.check()
	if err != nil {
		return err
	}
	var before *matrix.Report
	if o.against != "" {
		if before, err = readReport(o.against); err != nil {
			return err
		}
	}
	var bar *term.Progress
	mo.Progress = func(done, all int, what string) {
		if bar == nil {
			bar = term.NewProgress(errOut, all, "matrix")
		}
		bar.To(done, what)
	}
	run := matrix.Run
	if o.contain {
		run = func(ctx context.Context, mo *matrix.Options) (*matrix.Report, error) {
			return matrix.Contain(ctx, mo, worker, matrix.StepLimit)
		}
	}
	r, err := run(ctx, mo)
	if bar != nil {
		bar.Done()
	}
	if err != nil && r == nil {
		return err
	}
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("the report is incomplete: %w", err)
	}
	return errors.Join(err, o.finish(r, before, out))
}

// finish writes the report, with the differences from before, unless that is nil, and says if it is of a failure.
func (o *matrixOptions) finish(r, before *matrix.Report, out io.Writer) error {
	for _, path := range o.outs { // first: who reads the output may stop before its end
		if err := writeFile(path, r); err != nil {
			return err
		}
	}
	write := writers[".txt"]
	if o.asJSON {
		write = writers[".json"]
	}
	if err := write(r, out); err != nil {
		return err
	}
	var failed []error
	if r.Failed() {
		failed = append(failed, errDisagree)
	}
	if before != nil {
		c := r.Against(before)
		if !o.asJSON {
			if err := c.WriteText(out); err != nil {
				return err
			}
		}
		switch {
		case len(c.Different) > 0:
			failed = append(failed, fmt.Errorf("%w: %s", errDiffers, c.Different[0]))
		case !c.OK():
			failed = append(failed, fmt.Errorf("%w: nothing can be compared", errDiffers))
		}
	}
	return errors.Join(failed...)
}

func readReport(path string) (*matrix.Report, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := new(matrix.Report)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("-against %s: %w", path, err)
	}
	return r, nil
}

// check looks at the flags before anything takes time.
func (o *matrixOptions) check() (*matrix.Options, error) {
	mo := &matrix.Options{Devices: o.devices, Ops: o.ops, Full: o.full, Graphs: o.graphs}
	known := map[string]bool{}
	for op := range ops.Table() {
		known[op.Name] = true
	}
	for _, name := range o.ops {
		if !known[name] {
			return nil, usageError{fmt.Errorf("-op %s: there is no such op; anycl ops lists them", name)}
		}
	}
	for _, name := range o.dtypes {
		dt, err := tensor.ParseDType(name)
		if err != nil {
			return nil, usageError{fmt.Errorf("-dtype %s: %w", name, err)}
		}
		mo.DTypes = append(mo.DTypes, dt)
	}
	for _, path := range o.outs {
		if writers[filepath.Ext(path)] == nil {
			return nil, usageError{fmt.Errorf("-o %s: the name must end in .html, .json or .txt", path)}
		}
	}
	if o.graphs < 0 {
		return nil, usageError{fmt.Errorf("-graphs %d: must be 0 or more", o.graphs)}
	}
	return mo, nil
}

func writeFile(path string, r *matrix.Report) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(writers[filepath.Ext(path)](r, f), f.Close())
}
