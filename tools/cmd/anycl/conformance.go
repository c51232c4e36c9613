package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/anycl/anycl/internal/procs"
	"github.com/anycl/anycl/tools/internal/onnxsuite"
	"github.com/anycl/anycl/tools/internal/opinfo"
	"github.com/anycl/anycl/tools/internal/randomgraphs"
	"github.com/anycl/anycl/tools/internal/term"
	"github.com/anycl/anycl/tools/internal/umath"
)

type conformanceOptions struct {
	suite, data, device, run, out string
	jobs, batch, count, processes int
	seed                          uint64
	limit                         time.Duration
	kinds                         []string
	asJSON, verbose, again        bool
}

var (
	errWrong  = errors.New("some cases are wrong")
	errBeyond = errors.New("some errors are beyond what OpenCL allows")
)

func newConformance() *cobra.Command {
	var o conformanceOptions
	c := &cobra.Command{
		Use:   "conformance -suite SUITE [-data FILE]",
		Short: "run a suite that others wrote on package ops, or random graphs",
		Long: `Conformance runs cases that nobody of this project wrote and compares with the answers
that come with them. Each passes, is wrong, or is unsupported, with the reason; the exit code is 1 when
any is wrong.

The suite graphs needs no data: random graphs of all ops, with fixed and open sizes, divided between the device and the CPU
path, and their gradients. What the device and the CPU path make of each is compared with its ops evaluated one by one in
float64. A graph that is wrong is told with its seed and the smallest graph that is still wrong. On drivers of CPUs compiling
takes nearly all the time, and each process compiles one kernel at a time: several run, and ANYCL_VARIANT=optimize=off leaves out
what takes longest, the driver's own optimization.

  anycl conformance -suite opinfo -data FILE               PyTorch's own op database: forward and gradients
  anycl conformance -suite opinfo -data FILE -device cpu   the same on the CPU path
  anycl conformance -suite opinfo -data FILE -run '^linalg' -v
  anycl conformance -suite onnx -data FILE -device cpu     the backend tests of the ONNX project, on package onnx
  anycl conformance -suite onnx -data FILE -again          each model written by package onnx and read again before it runs
  anycl conformance -suite umath -data DIR -device cpu,pocl -o accuracy.md
                                                           NumPy's validation sets: errors of elementary functions
  anycl conformance -suite graphs -count 10000 -seed 1 -device pocl
  anycl conformance -suite graphs -count 10000 -for 20m -device cpu -json
`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return o.start(c.Context(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.StringVar(&o.suite, "suite", "", "the suite: opinfo, onnx, umath or graphs")
	f.StringVar(&o.data, "data", "", "its data: a folder or a .tar.gz")
	f.StringVar(&o.device, "device", "", "device to use, as in ANYCL_DEVICE; cpu or none for the CPU path (default: the best)")
	f.StringVarP(&o.out, "out", "o", "", "umath: write the page of the documentation to this file")
	f.StringVar(&o.run, "run", "", "run the cases whose op or name matches this regular expression")
	f.IntVar(&o.jobs, "jobs", 0, "number of graphs that are compiled at a time (default: 2)")
	f.IntVar(&o.count, "count", 1000, "graphs: how many")
	f.IntVar(&o.processes, "processes", 0, "graphs: number of processes (default: on a device one for each core, if there are hundreds of graphs)")
	f.Uint64Var(&o.seed, "seed", 1, "graphs: the first seed")
	f.DurationVar(&o.limit, "for", 0, "graphs: begin none after so long (default: no limit)")
	f.StringSliceVar(&o.kinds, "kind", nil, "graphs: kinds of graphs: "+strings.Join(randomgraphs.Kinds, ", ")+" (default: all)")
	f.IntVar(&o.batch, "batch", 0, "make a graph of so many cases (default: 20)")
	f.BoolVar(&o.again, "again", false, "onnx: write each model and read it again before it runs")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "print the cases that pass too")
	jsonFlag(c, &o.asJSON)
	return c
}

func (o *conformanceOptions) start(ctx context.Context, out, errOut io.Writer) error {
	if o.suite == "graphs" {
		return o.graphs(ctx, out, errOut)
	}
	if o.data == "" {
		return usageError{errors.New("-data is missing: where the suite is")}
	}
	switch o.suite {
	case "opinfo":
		return o.opinfo(ctx, out, errOut)
	case "onnx":
		return o.onnx(ctx, out, errOut)
	case "umath":
		return o.umath(ctx, out)
	}
	return usageError{fmt.Errorf("-suite %q: must be opinfo, onnx, umath or graphs", o.suite)}
}

func (o *conformanceOptions) opinfo(ctx context.Context, out, errOut io.Writer) error {
	oo := &opinfo.Options{Device: o.device, Jobs: o.jobs, Batch: o.batch}
	if o.run != "" {
		var err error
		if oo.Only, err = regexp.Compile(o.run); err != nil {
			return usageError{fmt.Errorf("-run: %w", err)}
		}
	}
	cases, err := opinfo.Read(o.data)
	if err != nil {
		return err
	}
	var bar *term.Progress
	oo.Progress = func(done, all int, what string) {
		if bar == nil {
			bar = term.NewProgress(errOut, all, "conformance")
		}
		bar.To(done, what)
	}
	r, err := opinfo.Run(ctx, cases, oo)
	if bar != nil {
		bar.Done()
	}
	if err != nil {
		return err
	}
	if o.asJSON {
		err = writeJSON(out, r)
	} else {
		err = r.WriteText(out, o.verbose)
	}
	if err == nil && r.Failed() {
		return errWrong
	}
	return err
}

func (o *conformanceOptions) onnx(ctx context.Context, out, errOut io.Writer) error {
	oo := &onnxsuite.Options{Device: o.device, Jobs: o.jobs, Again: o.again}
	if o.run != "" {
		var err error
		if oo.Only, err = regexp.Compile(o.run); err != nil {
			return usageError{fmt.Errorf("-run: %w", err)}
		}
	}
	cases, err := onnxsuite.Read(o.data)
	if err != nil {
		return err
	}
	var bar *term.Progress
	oo.Progress = func(done, all int, what string) {
		if bar == nil {
			bar = term.NewProgress(errOut, all, "conformance")
		}
		bar.To(done, what)
	}
	r, err := onnxsuite.Run(ctx, cases, oo)
	if bar != nil {
		bar.Done()
	}
	if err != nil {
		return err
	}
	if o.asJSON {
		err = writeJSON(out, r)
	} else {
		err = r.WriteText(out, o.verbose)
	}
	if err == nil && r.Failed() {
		return errWrong
	}
	return err
}

// manyGraphs are worth a process: it takes seconds until that has a device.
const manyGraphs = 200

// newGraphsWorker is the command of which conformance -suite graphs starts several.
func newGraphsWorker() *cobra.Command {
	return &cobra.Command{Use: "graphs-worker", Hidden: true, Args: noArgs, RunE: func(c *cobra.Command, _ []string) error {
		return randomgraphs.Work(c.Context(), c.InOrStdin(), c.OutOrStdout())
	}}
}

// graphs checks random graphs; those until ctx is done are in the report, too.
func (o *conformanceOptions) graphs(ctx context.Context, out, errOut io.Writer) error {
	switch {
	case o.count < 1:
		return usageError{fmt.Errorf("-count %d: must be 1 or more", o.count)}
	case o.processes < 0:
		return usageError{fmt.Errorf("-processes %d: must be 1 or more", o.processes)}
	case o.limit < 0:
		return usageError{fmt.Errorf("-for %v: must not be negative", o.limit)}
	}
	for _, k := range o.kinds {
		if !slices.Contains(randomgraphs.Kinds, k) {
			return usageError{fmt.Errorf("-kind %q: must be some of %s", k, strings.Join(randomgraphs.Kinds, ", "))}
		}
	}
	bar := term.NewProgress(errOut, o.count, "conformance")
	ro := &randomgraphs.Options{
		Device: o.device, Kinds: o.kinds, Count: o.count, Seed: o.seed, Limit: o.limit, Jobs: o.jobs,
		Progress: func(p randomgraphs.Progress) { bar.To(p.Done, p.String()) },
	}
	n := min(procs.Count(), o.count/manyGraphs)
	if o.device == "cpu" || o.device == "none" {
		n = 1 // which has all cores
	}
	run := randomgraphs.Run
	if n = cmp.Or(o.processes, n); n > 1 {
		run = func(ctx context.Context, ro *randomgraphs.Options) (*randomgraphs.Report, error) {
			return randomgraphs.RunApart(ctx, ro, n, func(ctx context.Context) *exec.Cmd { return itself(ctx, "graphs-worker") })
		}
	}
	r, err := run(ctx, ro)
	bar.Done()
	if r == nil {
		return err
	}
	if o.asJSON {
		err = errors.Join(err, writeJSON(out, r))
	} else {
		err = errors.Join(err, r.WriteText(out))
	}
	if err == nil && r.Failed() {
		return errWrong
	}
	return err
}

// umath measures the elementary functions on every device that was named.
func (o *conformanceOptions) umath(ctx context.Context, out io.Writer) (err error) {
	sets, err := umath.Read(o.data)
	if err != nil {
		return err
	}
	var all []*umath.Error
	for device := range strings.SplitSeq(o.device, ",") {
		errs, err := umath.Measure(ctx, device, sets)
		if err != nil {
			return err
		}
		all = append(all, errs...)
	}
	if o.out != "" {
		f, err := os.Create(o.out)
		if err != nil {
			return err
		}
		if err := errors.Join(umath.WriteMarkdown(f, all), f.Close()); err != nil {
			return err
		}
	}
	if o.asJSON {
		err = writeJSON(out, all)
	} else {
		err = umath.WriteText(out, all)
	}
	if err == nil && umath.Failed(all) {
		return errBeyond
	}
	return err
}
