package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/anycl/anycl/internal/tuning"
	"github.com/anycl/anycl/internal/units"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tools/internal/term"
)

type tuneOptions struct {
	device, export, load string
	graphs, families     []string
	budget               time.Duration
	list, reset, asJSON  bool
	calibrate            bool
}

// tunable are the kernel families that have parameters.
var tunable = []string{"map", "reduce", "row", "contract", "scatter"}

func newTune() *cobra.Command {
	var o tuneOptions
	c := &cobra.Command{
		Use:   "tune",
		Short: "look for faster kernels on this device, and keep what is found",
		Long: `Tune runs kernels with other parameters than the default's, and other variants, on
this device. Each is compared with the CPU path's result before it is timed, and
taken only when it beats the default by more than the noise. What is found is
kept for this device and driver, and used by every program from then on; explain
shows it. ANYCL_TUNE=off goes without.

  anycl tune                        a minute on matrix products, convolutions and reductions of common sizes
  anycl tune -graph cnn             what this graph needs; graphs are those of explain
  anycl tune -list                  what is kept
  anycl tune -export t.json         write it to a file; -import t.json takes it over, on another machine too
  anycl tune -reset                 forget it
  anycl tune -calibrate             measure the device and the CPU path anew, by which graphs are placed`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return o.run(c.Context(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	deviceFlag(c, &o.device)
	jsonFlag(c, &o.asJSON)
	f := c.Flags()
	f.StringSliceVar(&o.graphs, "graph", nil, "tune what these graphs need: "+graphNames())
	f.StringSliceVar(&o.families, "family", nil, "tune only these kernels: "+strings.Join(tunable, ", "))
	f.DurationVar(&o.budget, "budget", time.Minute, "how long to search")
	f.StringVar(&o.export, "export", "", "write what is kept to this file")
	f.StringVar(&o.load, "import", "", "take over what was exported to this file")
	f.BoolVar(&o.list, "list", false, "print what is kept")
	f.BoolVar(&o.calibrate, "calibrate", false, "measure anew what placement rests on, in about a second")
	f.BoolVar(&o.reset, "reset", false, "forget what is kept")
	return c
}

func (o *tuneOptions) check() error {
	for _, name := range o.graphs {
		if buildOf(name) == nil {
			return usageError{fmt.Errorf("there is no graph %q; there are %s", name, graphNames())}
		}
	}
	for _, name := range o.families {
		if !slices.Contains(tunable, name) {
			return usageError{fmt.Errorf("-family %s: there are %s", name, strings.Join(tunable, ", "))}
		}
	}
	asked := 0
	for _, is := range []bool{o.list, o.reset, o.calibrate, o.export != "", o.load != ""} {
		if is {
			asked++
		}
	}
	if asked > 1 {
		return usageError{errors.New("-list, -reset, -calibrate, -export and -import: one at a time")}
	}
	if o.budget <= 0 {
		return usageError{fmt.Errorf("-budget %s: must be more than nothing", o.budget)}
	}
	return nil
}

func (o *tuneOptions) run(ctx context.Context, out, errOut io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	rt, err := ops.Open(ctx, &ops.Options{Device: o.device, SpareProc: true})
	if err != nil {
		return err
	}
	defer rt.Close()
	switch {
	case o.list:
		return o.printKept(rt, out)
	case o.calibrate:
		return o.measure(ctx, rt, out)
	case o.reset:
		return rt.ResetTuning()
	case o.export != "":
		var b bytes.Buffer
		if err := rt.ExportTuning(&b); err != nil {
			return err
		}
		return os.WriteFile(o.export, b.Bytes(), 0o644)
	case o.load != "":
		f, err := os.Open(o.load)
		if err != nil {
			return err
		}
		defer f.Close()
		n, err := rt.ImportTuning(f)
		if err == nil {
			fmt.Fprintf(out, "%d entries for %s\n", n, rt.Device())
		}
		return err
	}
	return o.search(ctx, rt, out, errOut)
}

// measure calibrates and prints the results.
func (o *tuneOptions) measure(ctx context.Context, rt *ops.Runtime, out io.Writer) error {
	results, err := rt.Calibrate(ctx)
	if err != nil {
		return err
	}
	if o.asJSON {
		return writeJSON(out, results)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "op\twhere\tby rates\tmeasured")
	for _, r := range results {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.Name, r.Where, units.Duration(r.Predicted), units.Duration(r.Measured))
	}
	return w.Flush()
}

func (o *tuneOptions) search(ctx context.Context, rt *ops.Runtime, out, errOut io.Writer) error {
	if rt.Device() == nil {
		return ops.ErrNoTuning
	}
	var builds []func() (*ops.Graph, ops.Target)
	for _, name := range o.graphs {
		builds = append(builds, buildOf(name))
	}
	if len(builds) == 0 {
		builds = commonShapes
	}
	var exes []*ops.Executable
	for _, build := range builds {
		g, target := build()
		target.Place = ops.OnDevice
		exe, err := g.Compile(ctx, rt, target)
		if err != nil {
			return err
		}
		exes = append(exes, exe) // the runtime closes them
	}
	seconds := int(max(o.budget/time.Second, 1))
	bar := term.NewProgress(errOut, seconds, "tune")
	results, err := rt.Tune(ctx, &ops.TuneOptions{
		Budget: o.budget, Families: o.families,
		Progress: func(p ops.TuneProgress) {
			bar.To(min(int(p.Elapsed/time.Second), seconds), fmt.Sprintf("%d/%d %s, %d tried", p.Task, p.Tasks, p.Name, p.Candidates))
		},
	}, exes...)
	bar.Done()
	if errors.Is(err, context.Canceled) && len(results) > 0 {
		err = nil // the results so far are kept
	}
	if err != nil {
		return err
	}
	if o.asJSON {
		return writeJSON(out, results)
	}
	printTuned(out, rt, results)
	return nil
}

func printTuned(out io.Writer, rt *ops.Runtime, results []ops.TuneResult) {
	fmt.Fprintf(out, "%s, driver %s\n", rt.Device(), rt.Device().Driver)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "kind of task\tgain\ttried\tfastest\tdefault")
	for _, r := range results {
		switch {
		case r.Err != nil:
			fmt.Fprintf(w, "%s %s\t\t\tnot tuned: %v\t\n", r.Family, r.Class, r.Err)
		case r.Best == r.Default:
			fmt.Fprintf(w, "%s %s\t\t%d\tthe default\t%s\n", r.Family, r.Class, r.Candidates, r.Default)
		default:
			fmt.Fprintf(w, "%s %s\t%.2f x\t%d\t%s\t%s\n", r.Family, r.Class, r.Gain, r.Candidates, r.Best, r.Default)
		}
	}
	w.Flush()
}

func (o *tuneOptions) printKept(rt *ops.Runtime, out io.Writer) error {
	var b bytes.Buffer
	if err := rt.ExportTuning(&b); err != nil {
		return err
	}
	if o.asJSON {
		_, err := out.Write(b.Bytes())
		return err
	}
	_, t, err := tuning.Parse(b.Bytes())
	if err != nil {
		return err
	}
	if t.Len() == 0 {
		fmt.Fprintf(out, "nothing is kept for %s: anycl tune looks for something\n", rt.Device())
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "kind of task\tgain\tvariant\tparameters\tmeasured at")
	for _, e := range t.Entries() {
		fmt.Fprintf(w, "%s %s\t%.2f x\t%s\t%s\t%s\n", e.Family, e.Task, e.Gain, e.Variant, strings.TrimPrefix(fmt.Sprint(e.Params), "map"),
			e.Measure)
	}
	return w.Flush()
}
