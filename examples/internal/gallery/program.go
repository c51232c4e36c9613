// Package gallery has the chores that the programs of the gallery share: their common flags, timing the same work on
// the device and on the CPU path, running a peer beside them, saying whether a check holds, and keeping a record.
//
// A program is a function that opens a runtime, builds graphs, and hands the parts to be timed to Both:
//
//	func main() {
//		var o options
//		gallery.Int(&o.bodies, "bodies", 16384, 32, 1<<18, "how many bodies there are")
//		gallery.Main("galaxy", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
//	}
package gallery

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/anycl/anycl/ops"
)

// Program is one run of a program of the gallery.
type Program struct {
	Name   string    // as in go run ./examples/NAME
	Device string    // -device, in the grammar of ANYCL_DEVICE
	Out    string    // -out, the file of the picture; empty for none
	Peers  bool      // -peer
	JSON   string    // -json, the file that the record is appended to; empty for none
	Quick  bool      // one run is enough for a time: a test asks whether results are right
	Stdout io.Writer // for results
	Stderr io.Writer // for progress

	folder string // of the program's source, empty where it is not at hand
	record Record
	spent  spent
	failed int // checks that do not hold
}

// Main is the main function of one of Programs: it reads the flags, those that the program has defined too, runs it until it
// ends or Ctrl-C ends it, prints the table of times, and exits with status 1 where a check failed.
func Main(name string, run func(context.Context, *Program) error) {
	p := &Program{Name: name, Stdout: os.Stdout, Stderr: os.Stderr}
	if _, file, _, ok := runtime.Caller(1); ok {
		p.folder = filepath.Dir(file)
	}
	flag.StringVar(&p.Device, "device", "", "device to use, as ANYCL_DEVICE: gpu, nvidia, pocl:0, none for the CPU path (default the best)")
	flag.BoolVar(&p.Peers, "peer", false, "time what others have for the same work too, where it is installed")
	flag.StringVar(&p.JSON, "json", "", "`file` to append a record of this run to")
	info := Programs[slices.IndexFunc(Programs, func(i Info) bool { return i.Name == name })]
	if info.Draws {
		flag.StringVar(&p.Out, "out", name+".png", "PNG `file` to write; empty for none")
	}
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "%s %s.\n\nusage: go run ./examples/%s [flags]\n\n", name, info.Does, name)
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "%s: takes no arguments\n", name)
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := p.Run(ctx, run); err != nil {
		if ctx.Err() != nil {
			fmt.Fprintf(os.Stderr, "%s: interrupted\n", name)
			os.Exit(130) // as shells have it
		}
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// ErrCheck is the error of a run in which something that must hold does not.
var ErrCheck = errors.New("a check failed")

// Run runs the program, prints the table of times, and keeps the record. Errors: run's; ErrCheck; a file cannot be written, which is said
// before the program begins where it is known then.
func (p *Program) Run(ctx context.Context, run func(context.Context, *Program) error) error {
	start := time.Now()
	if err := errors.Join(Writable("out", p.Out), Writable("json", p.JSON)); err != nil {
		return err
	}
	if err := run(ctx, p); err != nil {
		return err
	}
	p.table()
	p.tellSpent(time.Since(start))
	if p.JSON != "" {
		if err := p.keep(ctx); err != nil {
			return err
		}
	}
	if p.failed > 0 {
		return ErrCheck
	}
	return nil
}

// Open opens the device that -device names, or the best, and prints its name and why it was chosen. Close the
// runtime when done.
func (p *Program) Open(ctx context.Context) (*ops.Runtime, error) {
	start := time.Now()
	rt, err := ops.Open(ctx, &ops.Options{Device: p.Device, SpareProc: true, Logger: slog.New(listener{p})})
	if err != nil {
		return nil, err
	}
	p.spent.opened += time.Since(start)
	p.Printf("%s\n", rt.Why())
	if d := rt.Device(); d != nil {
		p.record.Device, p.record.Driver = d.Name, d.Driver
	}
	if p.JSON != "" { // times that are kept are of a device that has been measured
		err = rt.Settle(ctx)
	}
	return rt, err
}

// Printf prints to standard output.
func (p *Program) Printf(format string, args ...any) { fmt.Fprintf(p.Stdout, format, args...) }

// Check prints whether something that must hold does. Where one does not, the program's exit status is 1.
func (p *Program) Check(holds bool, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	verdict := "holds"
	if !holds {
		verdict = "FAILED"
		p.failed++
	}
	p.record.Checks = append(p.record.Checks, Check{What: what, Holds: holds})
	p.Printf("check %s: %s\n", verdict, what)
}

// Checks are the checks made so far.
func (p *Program) Checks() []Check { return p.record.Checks }

// WritePNG writes the picture where -out says.
func (p *Program) WritePNG(picture image.Image) error {
	if p.Out == "" {
		return nil
	}
	var b bytes.Buffer
	if err := errors.Join(png.Encode(&b, picture), WriteFile(p.Out, b.Bytes())); err != nil {
		return err
	}
	p.Printf("written to %s\n", p.Out)
	return nil
}
