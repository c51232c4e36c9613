// Anycl tells about this machine and about the package anycl:
//
//	anycl devices             the OpenCL devices found, what each was proven to do, why ranked so
//	anycl ops                 every op: operands, dtypes, gradient, and where it runs
//	anycl explain cnn         a graph after fusion: what runs where and why, and the memory it takes
//	anycl trace cnn -o t.json where the time of a run goes: tasks, kernels, a timeline, a pprof profile
//	anycl bench               the speed of the ops beside the limits of the device
//	anycl tune -budget 60s    look for faster kernels on this device, and keep what is found
//	anycl matrix -o r.html    every op in every dtype on every device against the reference, as a page
//	anycl conformance -suite opinfo -data FILE  cases of PyTorch, ONNX and NumPy, against the answers that come with them
//	anycl onnx info FILE      what an ONNX model is made of, or what in it is not supported
//	anycl run FILE            run an ONNX model on arrays in .npy files
//	anycl serve -model N=FILE serve ONNX models over HTTP, in the Open Inference Protocol
//	anycl load FILE           how a model is served to many clients
//
// Each prints text for people, and with -json the same for programs. The exit
// code is 0 when all went well, 1 when something failed and 2 when the command
// line was wrong.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/anycl/anycl/tools/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second one ends the process at once
	code := execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// Exit codes.
const (
	codeOK = iota
	codeFailed
	codeUsage
)

// usageError is a command line that is wrong.
type usageError struct{ error }

// execute runs one command line and returns the exit code.
func execute(ctx context.Context, args []string, out, errOut io.Writer) int {
	root := newRoot()
	root.SetArgs(cli.LongFlags(args))
	root.SetOut(out)
	root.SetErr(errOut)
	c, err := root.ExecuteContextC(ctx)
	if err == nil {
		return codeOK
	}
	fmt.Fprintf(errOut, "anycl: %v\n", err)
	if _, wrong := errors.AsType[usageError](err); wrong || c == root {
		fmt.Fprintf(errOut, "see: %s --help\n", c.CommandPath())
		return codeUsage
	}
	return codeFailed
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "anycl",
		Short:         "what this machine's OpenCL devices can do, and what runs where",
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(newDevices(), newOps(), newExplain(), newTrace(), newBench(), newTune(), newMatrix(), newMatrixWorker(),
		newGraphsWorker(), newConformance(), newONNX(), newRun(), newServe(), newLoad(), newQuery(), newConvert())
	return root
}

// noArgs refuses arguments.
func noArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("%q is not wanted: this command takes no arguments", strings.Join(args, " "))}
	}
	return nil
}

// deviceFlag adds -device, the same for all commands.
func deviceFlag(c *cobra.Command, device *string) {
	c.Flags().StringVar(device, "device", "", "device to use: gpu, nvidia, amd:1, pocl, gpu/2:0 for a half of one, none for the CPU path (default ANYCL_DEVICE, else the best)")
}

func jsonFlag(c *cobra.Command, asJSON *bool) {
	c.Flags().BoolVar(asJSON, "json", false, "print JSON")
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
