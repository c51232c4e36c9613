// Compile compiles what devices of one target would run, and says of every program whether it
// compiles, with how many registers, and what does not fit in them.
//
//	go run ./internal/offline/compile -for amd:gfx1100     where AMD's driver is
//	go run ./internal/targets run compile-amd-gfx1100      in a Debian of its own
//
// The programs are those of the ops, networks and random graphs, and what the examples left in the
// folder that ANYCL_CORPUS names. It fails where a program is refused, or spills without an excuse.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/anycl/anycl/internal/ocl"
	"github.com/anycl/anycl/internal/offline"
	"github.com/anycl/anycl/ops/optest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "compile:", err)
		os.Exit(1)
	}
}

type options struct {
	target, out, file, print string
	few, forced              bool
	every                    int
	tools                    offline.Tools
}

func run(ctx context.Context) error {
	var o options
	flag.StringVar(&o.target, "for", "", "target: ptx:sm_80, spirv:CLASS, amd:gfx1100, intel:NAME of what the driver shows")
	flag.StringVar(&o.out, "o", ".", "folder for TARGET.json and TARGET.txt")
	flag.BoolVar(&o.few, "few", false, "programs of fewer graphs")
	flag.BoolVar(&o.forced, "forced", false, "also programs that no rule chooses, of variants that are forced")
	flag.IntVar(&o.every, "every", 1, "only one in so many programs")
	flag.StringVar(&o.file, "file", "", "only programs of this file of kernels")
	flag.StringVar(&o.print, "print", "", "write the text of the program whose print begins so, and compile nothing")
	flag.StringVar(&o.tools.Clang, "clang", "clang-19", "for ptx and spirv")
	flag.StringVar(&o.tools.Libclc, "libclc", "/usr/lib/clc/nvptx64--nvidiacl.bc", "for ptx")
	flag.StringVar(&o.tools.Ptxas, "ptxas", "ptxas", "for ptx")
	flag.StringVar(&o.tools.Translate, "translate", "llvm-spirv-19", "for spirv")
	flag.StringVar(&o.tools.Validate, "validate", "spirv-val", "for spirv")
	page := flag.Bool("page", false, "write a page of documentation from the JSON files that are named, and compile nothing")
	flag.Parse()
	if *page {
		return writePage(flag.Args())
	}
	kind, name, _ := strings.Cut(o.target, ":")
	class, err := classOf(kind, name)
	if err != nil {
		return err
	}
	drafts, err := o.drafts(ctx, class)
	if err != nil || o.print != "" {
		return err
	}
	r, err := o.compile(ctx, class, kind, name, drafts)
	if err != nil {
		return err
	}
	return o.judge(r)
}

// classOf is the class that a target's programs are drafted for.
func classOf(kind, name string) (*ocl.Class, error) {
	want := map[string]string{"ptx": "nvidia", "amd": "amd", "intel": "intel", "spirv": name}[kind]
	i := slices.IndexFunc(ocl.Classes, func(c *ocl.Class) bool { return c.Name == want })
	if i < 0 {
		return nil, fmt.Errorf("-for %s:%s: there is no such target", kind, name)
	}
	return ocl.Classes[i], nil
}

// drafts are the programs that are asked for.
func (o *options) drafts(ctx context.Context, class *ocl.Class) ([]*ocl.Draft, error) {
	corpus := offline.NewCorpus(class)
	if folder := os.Getenv(offline.EnvCorpus); folder != "" {
		var err error
		if corpus, err = offline.Load(folder, class); err != nil {
			return nil, err
		}
	}
	extent := offline.All
	if o.few {
		extent = offline.Few
	}
	p := offline.NewPlanner(corpus)
	if err := errors.Join(extent.Draft(ctx, p), p.Close()); err != nil {
		return nil, err
	}
	var all []*ocl.Draft
	for i, d := range corpus.Drafts() {
		switch {
		case o.print != "":
			if strings.HasPrefix(d.Print(), o.print) {
				text, _ := class.Text([]*ocl.Draft{d})
				fmt.Printf("// %s\n// %v %s\n%s\n", d.Options, d.Variants, d.Kernels, text)
			}
		case !o.forced && !d.Chosen, o.file != "" && d.File != o.file, i%max(o.every, 1) != 0:
		default:
			all = append(all, d)
		}
	}
	return all, nil
}

func (o *options) compile(ctx context.Context, class *ocl.Class, kind, name string, drafts []*ocl.Draft) (_ *offline.Report, err error) {
	c, err := compilerOf(ctx, kind, name, o.tools)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	r := &offline.Report{Target: strings.ReplaceAll(o.target, ":", "-"), Compiler: c.Version(), Class: class.Name}
	start := time.Now()
	r.Outcomes, err = offline.Run(ctx, c, class, drafts, runtime.GOMAXPROCS(0), nil)
	r.Took = time.Since(start).Seconds()
	return r, err
}

func compilerOf(ctx context.Context, kind, name string, t offline.Tools) (offline.Compiler, error) {
	switch kind {
	case "ptx":
		t.Arch = name
		return offline.NewPTX(ctx, t)
	case "spirv":
		return offline.NewSPIRV(ctx, t)
	case "amd":
		return offline.NewAMD(name)
	}
	return offline.NewIntel()
}

// judge writes the report and says what is wrong.
func (o *options) judge(r *offline.Report) (err error) {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(o.out, r.Target+".json"), text, 0o644); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(o.out, r.Target+".txt"))
	if err != nil {
		return err
	}
	if err := errors.Join(r.WriteText(f), f.Close()); err != nil {
		return err
	}
	checks := r.Checks()
	if file := os.Getenv("ANYCL_CHECKS"); file != "" {
		if err := offline.WriteChecks(file, checks); err != nil {
			return err
		}
	}
	fmt.Printf("%s: %d programs by %s in %.0f s\n", r.Target, len(r.Outcomes), r.Compiler, r.Took)
	bad := 0
	for _, c := range checks {
		if c.State == optest.Failed {
			bad++
			fmt.Printf("  %s: %s\n", c.Name, c.Why)
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d kernels are refused, or spill", bad)
	}
	return nil
}

// writePage writes what files say, in their order, on one page.
func writePage(files []string) error {
	var all []*offline.Report
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		r := &offline.Report{}
		if err := json.Unmarshal(text, r); err != nil {
			return fmt.Errorf("%s: %w", f, err)
		}
		all = append(all, r)
	}
	return offline.WritePage(os.Stdout, all)
}
