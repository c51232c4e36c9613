package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/anycl/anycl/internal/procs"
	"github.com/anycl/anycl/platform"
)

type devicesOptions struct {
	device           string
	asJSON           bool
	quick, calibrate bool
}

func newDevices() *cobra.Command {
	var o devicesOptions
	c := &cobra.Command{
		Use:   "devices",
		Short: "list the OpenCL devices, what each was proven to do, and why each has its rank",
		Long: `Devices lists what OpenCL finds on this machine, best first, and why each device
has its rank. What a device says of itself is compared with what small kernels
prove; that takes a few seconds on a device that was never seen before and is
kept on disk. Without OpenCL it says which libraries were tried, and everything
runs on the CPU path.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c.Context(), c.OutOrStdout()) },
	}
	deviceFlag(c, &o.device)
	jsonFlag(c, &o.asJSON)
	c.Flags().BoolVar(&o.quick, "quick", false, "touch no device: show only what was proven earlier")
	c.Flags().BoolVar(&o.calibrate, "calibrate", false, "measure how fast each device is; the ranking and the predictions use it from then on")
	return c
}

// devicesReport is the output of -json.
type devicesReport struct {
	Library   string            `json:"library,omitempty"`
	LoadError string            `json:"load_error,omitempty"` // why there is no OpenCL
	Selected  string            `json:"selected,omitempty"`   // empty: the CPU path
	Devices   []platform.Report `json:"devices"`
	Failures  map[string]string `json:"failures,omitempty"` // devices that could not be probed
	Notes     []platform.Note   `json:"notes,omitempty"`
	Cores     int               `json:"cpu_path_cores"`
}

func (o *devicesOptions) run(ctx context.Context, out io.Writer) error {
	po := &platform.Options{Spec: o.device}
	m, err := platform.Discover(ctx, po)
	if err != nil {
		return err
	}
	failures := map[string]string{}
	all := listed(m)
	for _, d := range all {
		if err := o.look(ctx, d, po); err != nil {
			failures[d.ID] = err.Error()
		}
	}
	if o.calibrate { // the ranks may have changed
		if m, err = platform.Discover(ctx, po); err != nil {
			return err
		}
	}
	// A named device that is missing is an error, after the list of devices.
	selected, err := m.Select("")
	if _, absent := errors.AsType[*platform.SelectError](err); !absent {
		err = nil
	}
	if o.asJSON {
		r := devicesReport{Library: m.Library, Devices: []platform.Report{}, Failures: failures, Notes: m.Notes, Cores: procs.Count()}
		if m.LoadErr != nil {
			r.LoadError = m.LoadErr.Error()
		}
		if selected != nil {
			r.Selected = selected.ID
		}
		for _, d := range all {
			r.Devices = append(r.Devices, d.Report())
		}
		return errors.Join(writeJSON(out, r), err)
	}
	fmt.Fprint(out, m.Explain())
	fmt.Fprintf(out, "\nthe CPU path is always there, on %d cores", procs.Count())
	if selected == nil && err == nil {
		fmt.Fprint(out, ", and everything runs on it")
	}
	fmt.Fprintln(out)
	for _, d := range all {
		fmt.Fprintf(out, "\n%s", d.Explain())
		if why := failures[d.ID]; why != "" {
			fmt.Fprintf(out, "  cannot be used: %s\n", why)
		}
	}
	return err
}

// listed are all devices, and the part of one that is selected.
func listed(m *platform.Machine) []*platform.Device {
	if d, err := m.Select(""); err == nil && d.Whole() != nil {
		return append(slices.Clone(m.Devices), d)
	}
	return m.Devices
}

// look proves d's capabilities, and measures it if that was asked for.
func (o *devicesOptions) look(ctx context.Context, d *platform.Device, po *platform.Options) error {
	if o.quick && !o.calibrate {
		return nil
	}
	if !o.calibrate {
		_, err := d.Caps(ctx)
		return err
	}
	opened, err := d.Open(ctx, po)
	if err != nil {
		return err
	}
	_, err = opened.Calibrate(ctx)
	return errors.Join(err, opened.Close())
}
