// Targets runs the library on every driver, checker and compiler of portability/targets.yaml, each
// where it can be had, and joins the results in one report.
//
//	go run ./tools/cmd/targets list
//	go run ./tools/cmd/targets setup [NAME...]       makes the roots that are missing (as root, on Debian)
//	go run ./tools/cmd/targets run [-tier quick] [-jobs 2] [NAME...]
//	go run ./tools/cmd/targets report                joins the latest results of every target again
//	go run ./tools/cmd/targets report -earlier docs/portability.json   and those of an earlier report for the others
//
// The output is in .cache/targets, or the folder that ANYCL_TARGETS names: roots, binaries, caches
// of drivers, and out/: a folder for each target, report.json and report.html.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/anycl/anycl/tools/internal/cli"
)

// errGate is why the command fails where the report says what.
var errGate = errors.New("a target that must pass does not")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c := command()
	c.SetArgs(cli.LongFlags(os.Args[1:]))
	if err := c.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "targets:", err)
		os.Exit(1)
	}
}

func command() *cobra.Command {
	c := &cobra.Command{Use: "targets", Short: "run the library on the drivers of portability/targets.yaml", SilenceUsage: true,
		SilenceErrors: true}
	var tier, earlier string
	var jobs int
	choose := func(names []string) (*place, *table, []*target, error) {
		at, err := newPlace()
		if err != nil {
			return nil, nil, nil, err
		}
		tab, err := readTable(at.table())
		if err != nil {
			return nil, nil, nil, err
		}
		chosen, err := tab.choose(names, tier)
		return at, tab, chosen, err
	}
	list := &cobra.Command{Use: "list", Short: "list the targets", Args: cobra.NoArgs, RunE: func(c *cobra.Command, names []string) error {
		_, _, chosen, err := choose(names)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
		for _, t := range chosen {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", t.Name, t.Kind, t.Root, t.gate(), t.tiers(), t.About)
		}
		return w.Flush()
	}}
	setup := &cobra.Command{Use: "setup [NAME...]", Short: "make the roots that targets run in",
		RunE: func(c *cobra.Command, names []string) error {
			at, tab, chosen, err := choose(names)
			if err != nil {
				return err
			}
			return at.setup(c.Context(), c.ErrOrStderr(), tab, chosen)
		}}
	run := &cobra.Command{Use: "run [NAME...]", Short: "run targets, and join the report", RunE: func(c *cobra.Command, names []string) error {
		at, tab, chosen, err := choose(names)
		if err != nil {
			return err
		}
		if err := at.setup(c.Context(), c.ErrOrStderr(), tab, chosen); err != nil {
			return err
		}
		if err := at.build(c.Context(), chosen, tier); err != nil {
			return err
		}
		failed, err := at.run(c.Context(), c.OutOrStdout(), chosen, tier, jobs)
		if err := errors.Join(err, at.join(c.OutOrStdout(), tab, earlier)); err != nil {
			return err
		}
		if failed {
			return errGate
		}
		return nil
	}}
	report := &cobra.Command{Use: "report", Short: "join the latest results of every target", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			at, tab, _, err := choose(nil)
			if err != nil {
				return err
			}
			return at.join(c.OutOrStdout(), tab, earlier)
		}}
	for _, sub := range []*cobra.Command{list, setup, run} {
		sub.Flags().StringVar(&tier, "tier", "full", "quick: the targets and steps of each change; full: all, with all steps")
	}
	for _, sub := range []*cobra.Command{run, report} {
		sub.Flags().StringVar(&earlier, "earlier", "", "a report of which the results of targets are taken that have none here")
	}
	run.Flags().IntVar(&jobs, "jobs", 1, "targets that run at the same time")
	c.AddCommand(list, setup, run, report)
	return c
}
