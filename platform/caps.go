package platform

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/diskcache"
	"github.com/anycl/anycl/platform/internal/quirk"
	"golang.org/x/sys/cpu"
)

// FMA is how a*b+c is written for a device.
type FMA string

// Ways to write it.
const (
	FMAFused FMA = "fma"   // fma(a, b, c): one rounding
	FMAMad   FMA = "mad"   // mad(a, b, c): whatever is fastest
	FMAPlain FMA = "a*b+c" // left to the compiler, which may contract it
)

// Expression is the definition of the macro FMA(a, b, c).
func (f FMA) Expression() string {
	switch f {
	case FMAFused:
		return "fma((a), (b), (c))"
	case FMAMad:
		return "mad((a), (b), (c))"
	}
	return "((a) * (b) + (c))"
}

// Caps are the capabilities of a device that a kernel, or a command, has proven with this driver. A
// capability that is false is either missing or gave a wrong result: Proofs tells. Do not change it.
type Caps struct {
	Atomics32 bool `json:"atomics32"` // 32-bit integers in global and local memory
	Atomics64 bool `json:"atomics64"` // 64-bit integers in global memory
	FP64      bool `json:"fp64"`      // double arithmetic
	Half      bool `json:"half"`      // half arithmetic; storing half works everywhere

	Subgroups       bool   `json:"subgroups"`                  // sub_group_reduce_add, sub_group_broadcast
	Shuffle         bool   `json:"shuffle"`                    // sub_group_shuffle_xor, or Intel's name of it
	SubgroupSize    int    `json:"subgroup_size,omitempty"`    // of the probe's kernel: others may differ
	SubgroupOptions string `json:"subgroup_options,omitempty"` // build option that makes them available; may be empty

	// SubgroupLanes is the size of the sub-groups with which contract/gpu_subgroup_intel.cl works,
	// or 0.
	SubgroupLanes int `json:"subgroup_lanes,omitempty"`

	// RegisterOptions is a build option that lets the compiler give kernels which would spill more registers
	// an item, and fewer items at a time; "" where there is none to ask.
	RegisterOptions string `json:"register_options,omitempty"`

	// RegisterCap is a build option that keeps items to 128 registers, so that twice as many are at work at a
	// time as of kernels that take more; "" where there is none.
	RegisterCap string `json:"register_cap,omitempty"`

	IntDot        bool   `json:"int_dot"` // dot_4x8packed_ss_int and its like
	IntDotOptions string `json:"int_dot_options,omitempty"`
	PTX           bool   `json:"ptx"`      // inline PTX assembly (NVIDIA)
	DotPTX        bool   `json:"dot_ptx"`  // dp4a in inline PTX
	DotAMD        bool   `json:"dot_amd"`  // builtins for v_dot4
	DotX86        bool   `json:"dot_x86"`  // vpdpbusd of AVX512-VNNI in inline assembly
	DotVEX        bool   `json:"dot_vex"`  // that of AVX-VNNI
	DotAVX2       bool   `json:"dot_avx2"` // a builtin for vpmaddwd of AVX2

	// MMA tells that matrix units work by inline PTX: the macro MMA_SM of contract/gpu_mma_ptx.cl, or
	// 0. From 90 on warpgroups multiply matrices in local memory.
	MMA int `json:"mma,omitempty"`

	FMA        FMA      `json:"fma"`          // the meaning of the macro FMA(a, b, c)
	Stds       []string `json:"stds"`         // language levels that build, as "CL1.2"
	LargeFill  bool     `json:"large_fill"`   // Queue.Fill is right for 2 GiB and more
	OutOfOrder bool     `json:"out_of_order"` // queues
	Profiling  bool     `json:"profiling"`    // events have times that are not zero

	// Mapping: Read and Write map large ranges, because here that is faster than
	// a command that copies.
	Mapping bool `json:"mapping"`

	// Direct: the host reads and writes the device's memory where it is. Kernels see its writes, and
	// it sees theirs, without any command.
	Direct bool `json:"direct"`

	// InlineDevice: launches on the inline device are over when they return, and it has the
	// device's memory.
	InlineDevice bool `json:"inline,omitempty"`

	// Addresses: kernels on the inline device take the addresses of buffers as arguments in place of
	// the buffers, which a launch then need not lock, retain and release.
	Addresses bool `json:"addresses,omitempty"`

	// Provisional: kernels of the inline device proved all this, by the same compiler for the same processor. The
	// device's own prove it again before it builds its first program, so that a program that needs only the inline device
	// does not wait for two compilers to start.
	Provisional bool `json:"provisional,omitempty"`

	// Proofs are the probes behind the fields above, in the order in which they ran.
	Proofs []Proof `json:"proofs"`
	Device string  `json:"device"` // for people who read the file
}

// Proof is the outcome of one probe.
type Proof struct {
	Name     string `json:"name"`
	Declared bool   `json:"declared"` // the device's claim
	Proven   bool   `json:"proven"`   // the proof by a kernel
	Note     string `json:"note,omitempty"`
}

// probeVersion is part of the key of proven capabilities on disk. Raise it whenever the probes or
// the meaning of a field change.
const probeVersion = 15

// LargeGRF is the build option of Intel's compilers that [Caps.RegisterOptions] may be.
const LargeGRF = "-cl-intel-enable-auto-large-GRF-mode"

// Registers128 is the build option of NVIDIA's compilers that [Caps.RegisterCap] may be.
const Registers128 = "-cl-nv-maxrregcount=128"

// devicePath is the path of a file of findings about the device, empty when none are kept. The
// findings of a driver that executes nothing must not be taken for those of the real device, which
// has the same name.
func (d *Device) devicePath(dir, kind string, version int) string {
	if dir == "" || d.has(quirk.NoResults) {
		return ""
	}
	fields := append([]string{kind, strconv.Itoa(version), diskcache.Version()}, d.identity()...)
	if d.inline != nil && kind != diskcache.Tuning {
		fields = append(fields, d.inline.Name)
	}
	fields = append(fields, d.unusual()...)
	key := diskcache.Key(fields...)
	return filepath.Join(dir, "devices", key[:32]+"."+kind)
}

// load reads a file kept about the device into v. A file with any fault counts as missing.
func (d *Device) load(dir, kind string, version int, v any) bool {
	return diskcache.ReadJSON(d.devicePath(dir, kind, version), kind, v)
}

func (d *Device) save(dir, kind string, version int, v any) error {
	return diskcache.WriteJSON(d.devicePath(dir, kind, version), kind, v)
}

// knownCaps returns the capabilities if they were proven before, else nil.
func (d *Device) knownCaps(dir string) *Caps {
	c := new(Caps)
	if !d.load(dir, diskcache.Caps, probeVersion, c) || c.FMA == "" {
		return nil
	}
	c.onThisCPU()
	return c
}

// provenCaps returns the capabilities from memory, from disk, or by probing: on o
// if the device is open already, else on a context of its own. Where o has an inline device, they may be provisional.
func (d *Device) provenCaps(ctx context.Context, o *Opened) (*Caps, error) {
	if err := d.takeProbing(ctx); err != nil {
		return nil, err
	}
	defer d.leaveProbing()
	known := d.lookUp(o)
	if known != nil && (o != nil || !known.Provisional) {
		d.caps = known
		return known, nil
	}
	if o == nil {
		var err error
		if o, err = d.open(nil); err != nil {
			return nil, fmt.Errorf("platform: probe %s: %w", d.ID, err)
		}
		defer func() { o.warn("probe", o.Close()) }()
	} else if o.paired {
		if c, err := probeAll(ctx, o, true, ""); err != nil && ctx.Err() != nil {
			return nil, fmt.Errorf("platform: probe %s: %w", d.ID, err)
		} else if err == nil && c.InlineDevice {
			return d.keepCaps(o, c), nil
		}
	}
	return d.proveOwn(ctx, o, known)
}

func (d *Device) takeProbing(ctx context.Context) error {
	select {
	case d.probing <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("platform: probe %s: %w", d.ID, ctx.Err())
	}
}

func (d *Device) leaveProbing() { <-d.probing }

// lookUp returns the capabilities known in memory or on disk, nil where none are. The caller has taken d.probing.
func (d *Device) lookUp(o *Opened) *Caps {
	if d.caps != nil && !d.caps.Provisional {
		return d.caps
	}
	dir := d.opts.CacheDir
	if o != nil {
		dir = o.opts.CacheDir
	}
	if c := d.knownCaps(dir); c != nil && (d.caps == nil || !c.Provisional) {
		return c
	}
	return d.caps
}

// keepCaps remembers c, or the capabilities that another process has kept since: all should go by
// the same timings, because FMA is part of every program.
func (d *Device) keepCaps(o *Opened, c *Caps) *Caps {
	if first := d.knownCaps(o.opts.CacheDir); first != nil && (c.Provisional || !first.Provisional) {
		c = first
	} else {
		o.warn("capabilities are not kept", d.save(o.opts.CacheDir, diskcache.Caps, probeVersion, c))
	}
	d.caps = c
	return c
}

// proveOwn proves the capabilities of the device's own kernels, with the FMA of known.
func (d *Device) proveOwn(ctx context.Context, o *Opened, known *Caps) (*Caps, error) {
	var fma FMA
	if known != nil {
		fma = known.FMA
	}
	c, err := probeAll(ctx, o, false, fma)
	if err != nil {
		return nil, fmt.Errorf("platform: probe %s: %w", d.ID, err)
	}
	return d.keepCaps(o, c), nil
}

// ownProof is the proof that the device itself has the capabilities proven on its inline device.
type ownProof struct{ err error }

// confirm lets kernels of the device prove the capabilities that so far only the inline device's did, before the first of its
// programs. Errors: it does not do as much, which the next Open heeds; ctx's, after which the next call tries again.
func (o *Opened) confirm(ctx context.Context) error {
	if !o.caps.Provisional {
		return nil
	}
	if p := o.own.Load(); p != nil {
		return p.err
	}
	d := o.device
	if err := d.takeProbing(ctx); err != nil {
		return err
	}
	defer d.leaveProbing()
	if p := o.own.Load(); p != nil {
		return p.err
	}
	c, err := d.lookUp(o), error(nil)
	switch {
	case c != nil && !c.Provisional:
		d.caps = c
	case !o.paired: // a proof made without the inline device is not kept for the device
		c, err = probeAll(ctx, o, false, o.caps.FMA)
	default:
		c, err = d.proveOwn(ctx, o, o.caps)
	}
	if err != nil {
		return err
	}
	p := new(ownProof)
	lacks := o.caps.lacking(c)
	if !o.paired {
		lacks = slices.DeleteFunc(lacks, func(name string) bool { return name == "inline" || name == "addresses" })
	}
	if len(lacks) > 0 {
		p.err = fmt.Errorf("platform: %s does not do what its inline device does: %s: %w", d.ID, strings.Join(lacks, ", "), cl.ErrUnsupported)
	}
	o.own.Store(p)
	return p.err
}

// lacking names the capabilities that are proven in c and not in own.
func (c *Caps) lacking(own *Caps) (names []string) {
	for _, p := range c.Proofs {
		if !p.Proven || p.Name == "mapping" { // which is a matter of time, and right either way
			continue
		}
		i := slices.IndexFunc(own.Proofs, func(q Proof) bool { return q.Name == p.Name })
		if i < 0 || !own.Proofs[i].Proven {
			names = append(names, p.Name)
		}
	}
	if c.FMA != own.FMA && !slices.Contains(names, "fma") {
		names = append(names, "fma")
	}
	return names
}

// Instructions in inline assembly end the process where the CPU lacks them. So the probes that have
// them are compiled only where this very CPU says that it has them, and capabilities kept on disk,
// which may come from another CPU of the same name, do not count either.

// vnniOptions are the macros with which the probes of vpdpbusd are compiled.
func vnniOptions(d *Device) []string {
	var opts []string
	if d.Class == CPU && cpu.X86.HasAVXVNNI {
		opts = append(opts, "-DTRY_VEX")
	}
	if d.Class == CPU && cpu.X86.HasAVX512VNNI {
		opts = append(opts, "-DTRY_VNNI")
	}
	return opts
}

// onThisCPU removes from c the capabilities that this CPU does not have.
func (c *Caps) onThisCPU() {
	c.DotX86 = c.DotX86 && cpu.X86.HasAVX512VNNI
	c.DotVEX = c.DotVEX && cpu.X86.HasAVXVNNI
	c.DotAVX2 = c.DotAVX2 && cpu.X86.HasAVX2
}
