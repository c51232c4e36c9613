// All runs the programs of the gallery on this machine, each beside its peer, and writes examples/README.md with their times.
//
//	go run ./examples/all [NAME ...]           # all programs, or some
//	go run ./examples/all -write               # only write the page anew, of the times that are kept, and count lines
//	go run ./examples/all -model opt-mnist.onnx # with mnist-onnx, whose model comes from elsewhere
//
// It should have the machine to itself. The times go to bench/gallery/MACHINE.jsonl, a line for each program; those of
// programs that are not run stay. Run it at the root of the repository, after go run ./examples/fetch.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"

	"github.com/anycl/anycl/examples/internal/gallery"
)

func main() {
	host, _ := os.Hostname() // a machine without a name is one, too
	file := flag.String("file", filepath.Join("bench", "gallery", cmp.Or(host, "machine")+".jsonl"), "`file` of the times")
	device := flag.String("device", "", "device to use, as ANYCL_DEVICE (default the best)")
	only := flag.Bool("write", false, "run nothing, and write the page of the times that are kept")
	model := flag.String("model", "", "the `file` of a network for MNIST, for mnist-onnx, which is left out without one")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *file, *device, *model, *only, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "all:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, file, device, model string, only bool, names []string) error {
	if len(names) == 0 && !only {
		for _, p := range gallery.Programs {
			names = append(names, p.Name)
		}
	}
	var failed error
	for _, name := range names {
		if !slices.ContainsFunc(gallery.Programs, func(p gallery.Info) bool { return p.Name == name }) {
			return fmt.Errorf("%q is no program of the gallery", name)
		}
		fmt.Printf("\n== %s\n", name)
		var more []string
		if name == takesModel {
			if model == "" {
				fmt.Println("left out: -model names no file")
				continue
			}
			more = []string{"-model", model}
		}
		if err := runOne(ctx, file, device, name, more); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", name, err))
		}
	}
	records, err := read(file)
	if err != nil {
		return errors.Join(failed, err)
	}
	for i := range records { // lines are counted as they are now
		records[i].Lines = gallery.CountLines(filepath.Join("examples", records[i].Name))
	}
	return errors.Join(failed, write(file, records), os.WriteFile(filepath.Join("examples", "README.md"), page(records, file), 0o644))
}

// takesModel is the program whose model no set-up step can fetch.
const takesModel = "mnist-onnx"

// runOne builds a program, runs it with more arguments, and keeps its time and its picture.
func runOne(ctx context.Context, file, device, name string, more []string) error {
	dir, err := os.MkdirTemp("", "anycl-gallery-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	do := func(command ...string) error {
		cmd := exec.CommandContext(ctx, command[0], command[1:]...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		return cmd.Run()
	}
	binary, record, picture := filepath.Join(dir, name), filepath.Join(dir, "record"), filepath.Join(dir, "picture.png")
	if err := do("go", "build", "-o", binary, "./examples/"+name); err != nil {
		return err
	}
	command := append([]string{binary, "-device", device, "-peer", "-json", record}, more...)
	if slices.ContainsFunc(gallery.Programs, func(p gallery.Info) bool { return p.Name == name && p.Draws }) {
		command = append(command, "-out", picture)
	}
	if err := do(command...); err != nil {
		return err
	}
	fresh, err := read(record)
	if err != nil {
		return err
	}
	records, err := read(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	records = append(slices.DeleteFunc(records, func(r gallery.Record) bool { return r.Name == name }), fresh...)
	slices.SortFunc(records, func(a, b gallery.Record) int { return cmp.Compare(a.Name, b.Name) })
	return errors.Join(write(file, records), shrink(picture, filepath.Join("examples", "README.d", name+".png")))
}

// read reads the records of a file.
func read(file string) (records []gallery.Record, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var r gallery.Record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		records = append(records, r)
	}
	return records, lines.Err()
}

// write writes records to a file.
func write(file string, records []gallery.Record) error {
	var b bytes.Buffer
	for _, r := range records {
		line, err := json.Marshal(r)
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}
