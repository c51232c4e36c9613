// Bench measures the works of tools/internal/bench beside other libraries, each section of the report in
// a process of its own.
//
//	go run ./tools/cmd/bench -filter '^sgemm/'    ours beside all peers that are installed
//	go run ./tools/cmd/bench -peers onnxruntime,pytorch -out bench/results/here.jsonl
//	go run ./tools/cmd/bench -drawn 50 -seed 3    what nobody has tuned for
//	go run ./tools/cmd/bench models DIR ...       ONNX models beside onnxruntime
//	go run ./tools/cmd/bench agree                are the results of trained models those of onnxruntime?
//	go run ./tools/cmd/bench report               docs/performance.md from bench/results/*.jsonl
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tools/cmd/bench/peers"
	"github.com/anycl/anycl/tools/internal/bench"
	"github.com/anycl/anycl/tools/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	root := newRoot()
	root.SetArgs(cli.LongFlags(os.Args[1:]))
	err := root.ExecuteContext(ctx)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

type options struct {
	device, filter, out, dir string
	section                  string
	alone                    bool // only section, which works that are drawn leave empty
	peers                    []string
	list, quick, verbose     bool
	cpu, together            bool
	steady, slice, pause     time.Duration
	turns, drawn             int
	seed                     uint64
}

func newRoot() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use: "bench", Short: "measure ours beside other libraries", Args: cobra.NoArgs, SilenceErrors: true, SilenceUsage: true,
		RunE: func(c *cobra.Command, _ []string) error {
			o.alone = c.Flags().Changed("section")
			return o.run(c.Context())
		},
	}
	f := c.Flags()
	f.StringVar(&o.device, "device", "", "device to use (default ANYCL_DEVICE, else the best)")
	f.StringVarP(&o.filter, "filter", "f", "", "regular expression that the names of works match")
	f.StringVarP(&o.out, "out", "o", "", "file to append lines of JSON to")
	f.StringVar(&o.dir, "npm", "bench/.peers", "folder that holds node_modules with onnxruntime-node")
	f.StringSliceVarP(&o.peers, "peers", "p", nil, "peers to measure (default all): openblas, clblast, onnxruntime, pytorch, numpy, scipy, fftw, clfft, vkfft, lapack, gonum, viennacl")
	f.BoolVarP(&o.list, "list", "l", false, "list the works and run none")
	f.BoolVarP(&o.quick, "quick", "q", false, "leave out slow works")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "say which peers cannot run a work and why")
	f.BoolVar(&o.together, "together", false, "measure all sections in one process: where a start of each peer takes long")
	f.DurationVar(&o.slice, "slice", 0, "how long a turn is at least (default 60ms)")
	f.DurationVar(&o.pause, "pause", 0, "before a turn (default 150ms; negative none)")
	f.BoolVar(&o.cpu, "cpu", false, "measure our CPU path too")
	f.DurationVar(&o.steady, "steady", 0, "also run each contender on end for so long")
	f.IntVar(&o.turns, "turns", 0, "turns of each contender (default 7)")
	f.IntVar(&o.drawn, "drawn", 0, "measure so many works of random kinds and shapes instead of the listed ones")
	f.Uint64Var(&o.seed, "seed", 1, "of the works that are drawn")
	f.StringVar(&o.section, "section", "", "measure the works of this section of the report only, in this process")
	c.AddCommand(newReport(), newRegret(), newFusion(), newGonum(), newModels(), newAgree())
	return c
}

func (o *options) run(ctx context.Context) error {
	all := bench.Works()
	if o.drawn > 0 {
		all = bench.Drawn(o.seed, o.drawn)
	}
	works, err := bench.Select(all, o.filter)
	if err != nil {
		return err
	}
	if o.quick {
		works = bench.Quick(works)
	}
	if o.list {
		for _, w := range works {
			fmt.Printf("%-36s %s\n", w.Name, w.About)
		}
		return nil
	}
	if o.together && !o.alone {
		return o.measure(ctx, works)
	}
	if !o.alone {
		return eachSection(ctx, works)
	}
	works = slices.DeleteFunc(works, func(w *bench.Work) bool { return w.Section != o.section })
	return o.measure(ctx, works)
}

// eachSection measures each section of works in a process of its own: the rows before, and peers, must not use up
// a process's share of a driver's resources. PoCL 3.1 keeps 128 kernels loaded, and those of CLBlast for good.
func eachSection(ctx context.Context, works []*bench.Work) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, w := range works {
		if seen[w.Section] {
			continue
		}
		seen[w.Section] = true
		c := exec.CommandContext(ctx, self, append(slices.Clone(os.Args[1:]), "--section", w.Section)...)
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
		if err := c.Run(); err != nil {
			return fmt.Errorf("%s: %w", w.Section, err)
		}
	}
	return nil
}

// measure measures works in this process.
func (o *options) measure(ctx context.Context, works []*bench.Work) (err error) {
	if err := peers.CoreType(); err != nil {
		return err
	}
	rt, err := ops.Open(ctx, &ops.Options{Device: o.device, SpareProc: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rt.Close()) }()
	if err := rt.Settle(ctx); err != nil {
		return err
	}
	s := &bench.Session{Runtime: rt, Method: bench.Method{Turns: o.turns, Slice: o.slice, Pause: o.pause, Steady: o.steady}, Out: os.Stdout,
		Verbose: o.verbose}
	s.Contenders = []bench.Contender{bench.NewOurs(rt, ops.OnDevice)}
	if rt.Device() == nil {
		s.Contenders = nil
	}
	if o.cpu || rt.Device() == nil {
		s.Contenders = append(s.Contenders, bench.NewOurs(rt, ops.OnCPU))
	}
	own := s.Contenders[0].(*bench.Ours)
	s.Contenders = append(s.Contenders, bench.Widened{Ours: own}, bench.Composed{Ours: own})
	limits, err := bench.NewLimits(ctx, o.device)
	if err != nil {
		return err
	}
	others, missing := peers.All(rt, []string{o.dir}, o.peers...)
	for _, m := range missing {
		fmt.Println(m)
	}
	s.Contenders = append(append(s.Contenders, limits...), others...)
	for _, c := range s.Contenders {
		defer func() { err = errors.Join(err, c.Close()) }()
	}
	return s.RunTo(ctx, works, o.out)
}
