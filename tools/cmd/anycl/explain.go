package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/anycl/anycl/ops"
)

type explainOptions struct {
	device, place  string
	asJSON, source bool
	dot, svg       bool
	runs           int
}

func newExplain() *cobra.Command {
	var o explainOptions
	c := &cobra.Command{
		Use:   "explain GRAPH",
		Short: "compile a graph and tell its tasks after fusion, where each runs and why, and its memory",
		Long: `Explain compiles one of these graphs and tells what became of it: the tasks after
fusion, where each runs, how long it is predicted to take there and elsewhere,
the kernel variant that was chosen, and the memory that is planned.
` + graphList(),
		Args:      oneGraph,
		ValidArgs: strings.Split(graphNames(), ", "),
		RunE:      func(c *cobra.Command, args []string) error { return o.run(c.Context(), c.OutOrStdout(), args[0]) },
	}
	deviceFlag(c, &o.device)
	jsonFlag(c, &o.asJSON)
	placeFlag(c, &o.place)
	c.Flags().BoolVar(&o.source, "source", false, "print the OpenCL C that was compiled, hooks filled")
	c.Flags().BoolVar(&o.dot, "dot", false, "print the tasks as a graph for Graphviz")
	c.Flags().BoolVar(&o.svg, "svg", false, "print the tasks as a picture")
	c.Flags().IntVar(&o.runs, "runs", 0, "run so often on random inputs first, and tell what was measured")
	return c
}

func (o *explainOptions) run(ctx context.Context, out io.Writer, name string) error {
	rt, exe, err := compileNamed(ctx, name, o.device, o.place)
	if err != nil {
		return err
	}
	defer rt.Close() // and with it exe
	if o.runs > 0 {
		if _, err := exe.Profile(ctx, randomFeeds(exe), ops.ProfileOptions{Runs: o.runs}); err != nil {
			return err
		}
	}
	r := exe.Report()
	switch {
	case o.dot:
		fmt.Fprint(out, r.DOT())
		return nil
	case o.svg:
		fmt.Fprint(out, r.SVG())
		return nil
	}
	if o.asJSON {
		if !o.source {
			for i := range r.Tasks {
				r.Tasks[i].Plan.Source = ""
			}
		}
		return writeJSON(out, r)
	}
	fmt.Fprint(out, r)
	if o.source {
		printSources(out, r)
	}
	return nil
}

// printSources prints the compiled sources, each once with all its tasks.
func printSources(out io.Writer, r *ops.Report) {
	tasks := map[string][]string{}
	var order []string
	for _, t := range r.Tasks {
		s := t.Plan.Source
		if s == "" {
			continue
		}
		if tasks[s] == nil {
			order = append(order, s)
		}
		tasks[s] = append(tasks[s], fmt.Sprintf("%s: %s; %s", t.Name, t.Plan.Variant, strings.Join(t.Plan.Launch, ", ")))
	}
	if len(order) == 0 {
		fmt.Fprintln(out, "\nnothing was compiled: the CPU path runs Go")
	}
	for _, s := range order {
		fmt.Fprintf(out, "\n// ---- %s\n%s\n", strings.Join(tasks[s], "\n//      "), strings.TrimSpace(s))
	}
}
