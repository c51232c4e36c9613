// Offline compiles the programs that devices of one target would run, and says of every one whether
// it compiles, with how many registers, and how much it spills.
//
//	go run ./tools/cmd/offline -for amd:gfx1100     where AMD's driver is
//	go run ./tools/cmd/targets run compile-amd-gfx1100      in a Debian of its own
//
// The programs are those of the ops, networks and random graphs, and what the examples left in the
// folder that ANYCL_CORPUS names: all that rules choose, and of variants that are forced one for each
// choice of types and flags. It fails where a program is refused, one that is chosen spills without an excuse, or an
// excuse is not needed.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/anycl/anycl/internal/corpus"
	"github.com/anycl/anycl/internal/ocl/draft"
	"github.com/anycl/anycl/ops/optest"
	"github.com/anycl/anycl/tools/internal/offline"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	work := run
	if os.Getenv(offline.EnvWorker) != "" {
		work = compileForAnother
	}
	if err := work(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "offline:", err)
		os.Exit(1)
	}
}

// compileForAnother is the main function of a worker process, which another process of this program started.
func compileForAnother(ctx context.Context) (err error) {
	kind, name, _ := strings.Cut(os.Getenv(offline.EnvWorker), ":")
	c, err := driverOf(kind, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	return offline.Work(ctx, c)
}

type options struct {
	target, out, file, print string
	lacks, never             string
	few, all                 bool
	every                    int
	tools                    offline.Tools
}

func run(ctx context.Context) error {
	var o options
	flag.StringVar(&o.target, "for", "", "target: ptx:sm_80, spirv:CLASS, amd:gfx1100, intel:NAME of what the driver shows")
	flag.StringVar(&o.out, "o", ".", "folder for TARGET.json and TARGET.txt")
	flag.BoolVar(&o.few, "few", false, "programs of fewer graphs")
	flag.BoolVar(&o.all, "all", false, "of what is forced every program, and not one for each choice of types and flags")
	flag.StringVar(&o.lacks, "lacks", "", "features that the target has not, which is proven: contract/gpu_dot4_amd.cl,contract/gpu_mma_ptx.cl")
	flag.StringVar(&o.never, "never", "", "features that its devices do not prove: contract/gpu_subgroup_intel.cl:LANES=16")
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
func classOf(kind, name string) (*draft.Class, error) {
	want := map[string]string{"ptx": "nvidia", "amd": "amd", "intel": "intel", "spirv": name}[kind]
	i := slices.IndexFunc(draft.Classes, func(c *draft.Class) bool { return c.Name == want })
	if i < 0 {
		return nil, fmt.Errorf("-for %s:%s: there is no such target", kind, name)
	}
	return draft.Classes[i], nil
}

// drafts are the programs that are asked for.
func (o *options) drafts(ctx context.Context, class *draft.Class) ([]*draft.Draft, error) {
	programs, folder := corpus.New(class), os.Getenv(corpus.Env)
	if folder != "" {
		var err error
		if programs, err = corpus.Load(folder, class); err != nil {
			return nil, err
		}
	}
	own, err := o.own(ctx, class, folder)
	if err != nil {
		return nil, err
	}
	programs.Add(own.Drafts()...)
	var all []*draft.Draft
	for i, d := range programs.Drafts() {
		switch {
		case o.print != "":
			if strings.HasPrefix(d.Print(), o.print) {
				text, _ := class.Text([]*draft.Draft{d})
				fmt.Printf("// %s\n// %v %s\n%s\n", d.Options, d.Variants, d.Kernels, text)
			}
		case o.file != "" && d.File != o.file, i%max(o.every, 1) != 0, slices.ContainsFunc(words(o.never), d.Has):
		default:
			all = append(all, d)
		}
	}
	if !o.all {
		all = offline.Share(all)
	}
	return all, nil
}

// own are the programs of the ops, networks and random graphs. They are kept in the folder, so that
// programs for several targets of a class are drafted once, by one build of this program.
func (o *options) own(ctx context.Context, class *draft.Class, folder string) (*corpus.Corpus, error) {
	extent, name := offline.All, "all"
	if o.few {
		extent, name = offline.Few, "few"
	}
	if folder != "" {
		build, err := buildPrint()
		if err != nil {
			return nil, err
		}
		folder = filepath.Join(folder, "own", name+"-"+build)
		if c, err := corpus.Load(folder, class); !errors.Is(err, fs.ErrNotExist) {
			return c, err
		}
	}
	c := corpus.New(class)
	p := corpus.NewPlanner(c)
	if err := errors.Join(extent.Draft(ctx, p), p.Close()); err != nil {
		return nil, err
	}
	return c, c.Save(folder, name)
}

// buildPrint is equal for equal builds of this program.
func buildPrint() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)[:6]), err
}

// words are those of a list with commas.
func words(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

// whole reports whether nothing that a rule chooses is left out.
func (o *options) whole() bool {
	return !o.few && o.every <= 1 && o.file == "" && os.Getenv(corpus.Env) != ""
}

func (o *options) compile(ctx context.Context, class *draft.Class, kind, name string, drafts []*draft.Draft) (_ *offline.Report,
	err error) {
	c, err := compilerOf(ctx, kind, name, o.tools)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	r := &offline.Report{Target: strings.ReplaceAll(o.target, ":", "-"), Compiler: c.Version(), Class: class.Name, Whole: o.whole()}
	start := time.Now()
	drafts, r.Lacks, err = offline.Without(ctx, c, class, drafts, words(o.lacks))
	if err != nil {
		return nil, err
	}
	r.Outcomes, err = offline.Run(ctx, c, class, drafts, runtime.GOMAXPROCS(0), nil)
	r.Took = time.Since(start).Seconds()
	r.Excuse(drafts)
	return r, err
}

func compilerOf(ctx context.Context, kind, name string, t offline.Tools) (offline.Compiler, error) {
	switch kind {
	case "ptx":
		t.Arch = name
		return offline.NewPTX(ctx, t)
	case "spirv":
		return offline.NewSPIRV(ctx, t)
	}
	return offline.Contained(ctx, kind+":"+name, runtime.GOMAXPROCS(0))
}

func driverOf(kind, name string) (offline.Compiler, error) {
	if kind == "amd" {
		return offline.NewAMD(name)
	}
	return offline.NewIntel()
}

// judge writes the report and returns its failures as an error.
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
		return fmt.Errorf("%d checks fail", bad)
	}
	return nil
}

// writePage writes the content of report files, in their order, on one page.
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
