package offline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/anycl/anycl/cl"
)

// driver compiles by an OpenCL driver, through the project's own binding.
type driver struct {
	device *cl.Device
	cl     *cl.Context
	read   func(*cl.Program, *cl.Device) (map[string]Usage, error)
}

// NewAMD compiles by AMD's driver for a GPU that need not be there: "gfx1100". Its numbers are
// those of the code object.
func NewAMD(gpu string) (Compiler, error) {
	p, err := platformOf("AMD")
	if err != nil {
		return nil, err
	}
	c, err := p.NewOfflineContext()
	if err != nil {
		return nil, err
	}
	for _, d := range c.Devices() {
		name, _, _ := strings.Cut(d.Info().Name, ":") // and the features that are switched on
		if name == gpu {
			return &driver{d, c, ofBinary}, nil
		}
	}
	var names []string
	for _, d := range c.Devices() {
		names = append(names, d.Info().Name)
	}
	return nil, errors.Join(fmt.Errorf("offline: AMD's driver knows no %s; it knows %s", gpu, strings.Join(names, ", ")), c.Close())
}

// NewIntel compiles by Intel's driver for its first GPU, which may be one that the driver only
// pretends to have.
func NewIntel() (Compiler, error) {
	p, err := platformOf("Intel")
	if err != nil {
		return nil, err
	}
	devices, err := p.Devices(cl.DeviceGPU)
	if err != nil || len(devices) == 0 {
		return nil, errors.Join(errors.New("offline: Intel's driver has no GPU"), err)
	}
	c, err := p.Library().NewContext(devices[0])
	return &driver{devices[0], c, ofKernels}, err
}

// ofBinary reads the metadata in a code object.
func ofBinary(p *cl.Program, d *cl.Device) (map[string]Usage, error) {
	binary, err := p.Binary(d)
	if err != nil {
		return nil, err
	}
	return readCodeObject(binary)
}

// ofKernels asks the driver of each kernel.
func ofKernels(p *cl.Program, d *cl.Device) (all map[string]Usage, err error) {
	kernels, err := p.Kernels()
	if err != nil {
		return nil, err
	}
	all = map[string]Usage{}
	for _, k := range kernels {
		w, why := k.WorkGroupInfo(d)
		together, _ := k.SubgroupInfo(d, 64)
		err = errors.Join(err, why, k.Close())
		all[k.Name()] = Usage{Spill: int(w.SpillMemBytes), Private: w.PrivateMemBytes, Local: w.LocalMemBytes, Lanes: together.MaxSize}
	}
	return all, err
}

func platformOf(vendor string) (*cl.Platform, error) {
	lib, err := cl.Default()
	if err != nil {
		return nil, err
	}
	all, err := lib.Platforms()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(p *cl.Platform) bool {
		return strings.Contains(p.Name(), vendor) || strings.Contains(p.Vendor(), vendor)
	})
	if i < 0 {
		return nil, fmt.Errorf("offline: there is no OpenCL driver of %s among %d", vendor, len(all))
	}
	return all[i], nil
}

// Version tells the driver and the device.
func (d *driver) Version() string {
	of := d.device.Info().DriverVersion
	if of == "" { // of a device that the machine lacks
		of = d.device.Platform().Version()
	}
	return fmt.Sprintf("%s, %s for %s", d.device.Platform().Name(), of, d.device)
}

func (d *driver) Close() error { return d.cl.Close() }

func (d *driver) Compile(ctx context.Context, source, options string) (_ map[string]Usage, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := d.cl.NewProgram(source)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if !strings.Contains(options, "-cl-std=") {
		options = strings.TrimSpace("-cl-std=CL1.2 " + options)
	}
	if err := p.Build(options, d.device); err != nil {
		if be := (*cl.BuildError)(nil); errors.As(err, &be) {
			return nil, &Refusal{By: d.device.Info().Name, Log: be.Error()}
		}
		return nil, err
	}
	return d.read(p, d.device)
}
