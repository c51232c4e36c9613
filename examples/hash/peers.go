package main

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/platform"
)

// hashcat puts beside the work before how long so many hashes of a mode take by the speed of hashcat's benchmark, on devices of the
// kind that rt uses.
func hashcat(ctx context.Context, p *gallery.Program, rt *ops.Runtime, mode string, hashes float64) error {
	kind := "1" // CPU
	if d := rt.Device(); d != nil && d.Class == platform.GPU {
		kind = "2"
	}
	_, err := p.Beside(ctx, gallery.Peer{
		Name:    "hashcat",
		Command: []string{"hashcat", "-b", "-m", mode, "-D", kind, "--machine-readable", "--quiet", "--force"},
		Parse: func(output []byte) (r gallery.PeerResult, err error) { // device:mode:clocks:clocks:ms:speed
			var sum float64
			for _, line := range bytes.Fields(output) {
				if columns := strings.Split(string(line), ":"); len(columns) == 6 && columns[1] == mode {
					speed, err := strconv.ParseFloat(columns[5], 64)
					if err != nil {
						return r, err
					}
					sum += speed
				}
			}
			if sum == 0 {
				return r, fmt.Errorf("no speed in what it wrote: %s", output)
			}
			r.Seconds, r.Version = hashes/sum, "-b"
			return r, nil
		},
	}, nil)
	return err
}
