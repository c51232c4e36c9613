package platform

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/programtext"
	"github.com/anycl/anycl/platform/internal/quirk"
	"github.com/anycl/anycl/platform/internal/vendor"
)

//go:embed probes.cl
var probesSource string

// probeSections splits the probes' file at its "//:name" lines. The text before
// the first is common to all.
func probeSections() (common string, names []string, sections map[string]string) {
	parts := strings.Split(programtext.Include(probesSource), "\n//:")
	sections = map[string]string{}
	for _, p := range parts[1:] {
		name, body, _ := strings.Cut(p, "\n")
		names = append(names, name)
		sections[name] = body
	}
	return parts[0] + "\n", names, sections
}

// prober runs the probes on an open device, or on its inline device.
type prober struct {
	o        *Opened
	dev      *cl.Device // that runs the kernels
	queue    *cl.Queue  // of it
	onInline bool       // it is the inline device
	fma      FMA        // chosen earlier, if it is not empty
	buffer   *cl.Buffer
	programs map[string]*cl.Program // by options and section
	open     []*cl.Program
	answers  []uint32 // of the kernel of all proofs; nil: it did not run
	caps     *Caps
}

// newProber is a prober of the kernels of the opened device, or with onInline of its inline device.
func newProber(o *Opened, onInline bool) (p *prober, err error) {
	p = &prober{
		o: o, dev: o.cl, queue: o.queue, onInline: onInline,
		programs: map[string]*cl.Program{}, caps: &Caps{FMA: FMAPlain, Device: o.device.String()},
	}
	if onInline {
		p.dev = o.device.inline.cl
		if p.queue, err = o.context.NewQueue(p.dev, cl.QueueOptions{}); err != nil {
			return nil, err
		}
	}
	if p.buffer, err = o.context.NewBuffer(cl.MemReadWrite, max(p.rateBytes(), 4*sliceWords*int64(len(togetherProbes)+1)), nil); err != nil {
		return nil, errors.Join(err, p.closeQueue())
	}
	return p, nil
}

// probeAll proves the capabilities of a device. Only ctx, and a device on which nothing works, make it fail. With
// onInline, kernels of the inline device stand in for the device's, and capabilities that neither declares are left
// for later: see [Caps.Provisional]. With an fma that is right, no other is looked for.
func probeAll(ctx context.Context, o *Opened, onInline bool, fma FMA) (*Caps, error) {
	start := time.Now()
	p, err := newProber(o, onInline)
	if err != nil {
		return nil, err
	}
	defer p.close()
	p.fma = fma
	// Probes that need no kernel run while the compiler works, which takes much longer.
	commands := func() {
		p.tryQueues()
		p.tryLargeFill()
		p.tryMapping()
	}
	var beside sync.WaitGroup
	if onInline {
		beside.Go(commands)
	}
	names := p.build(defaultStd, nil)
	beside.Wait()
	if len(names) == 0 {
		return nil, fmt.Errorf("not one kernel builds with %s: %w", defaultStd, cl.ErrUnsupported)
	}
	p.caps.Stds = []string{"CL1.2"}
	for _, pr := range probes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p.try(pr, defaultStd)
	}
	if !onInline {
		if err := p.tryNewer(ctx); err != nil {
			return nil, err
		}
	}
	if err := p.chooseFMA(ctx); err != nil {
		return nil, err
	}
	if o.device.Key == vendor.Intel && o.device.Class == GPU {
		p.tryRegisters("registers", LargeGRF, &p.caps.RegisterOptions)
	}
	if o.device.Key == vendor.NVIDIA && o.device.Class == GPU {
		p.tryRegisters("register cap", Registers128, &p.caps.RegisterCap)
	}
	p.tryWarpgroups()
	if !onInline {
		commands()
	}
	p.tryDirect()
	p.tryInline()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p.caps.Provisional = onInline
	o.opts.Logger.Info("platform: probed", "device", o.device.ID, "took", time.Since(start), "on the inline device", onInline)
	return p.caps, nil
}

func (p *prober) close() {
	for _, prog := range p.open {
		p.o.warn("probe", prog.Close())
	}
	p.o.warn("probe", errors.Join(p.buffer.Close(), p.closeQueue()))
}

func (p *prober) closeQueue() error {
	if !p.onInline {
		return nil
	}
	return errors.Join(p.queue.Finish(), p.queue.Close())
}

// options are the build options, with the macros that the host sets from facts about the device.
func (p *prober) options(std string) string { return p.o.device.probeOptions(std) }

func (d *Device) probeOptions(std string) string {
	opts := []string{std, "-DT=" + floatVector(d.VectorWidth)}
	if d.Key == vendor.NVIDIA {
		opts = append(opts, "-DTRY_PTX")
	}
	if n := d.lanes(); n > 0 {
		opts = append(opts, fmt.Sprintf("-DTRY_LANES=%d", n))
	}
	if d.together() {
		opts = append(opts, "-DTOGETHER")
	}
	opts = append(opts, vnniOptions(d)...)
	if d.BodiesApart() {
		opts = append(opts, "-DBODIES_APART")
	}
	if once := d.OptimizedOnce(); once != "" {
		opts = append(opts, once)
	}
	return strings.Join(opts, " ")
}

// lanes is the smallest size from 8 on of sub-groups that kernels may ask for, 0 where they may
// not: on Intel's GPUs the elements of one hardware register, or half of them.
func (d *Device) lanes() int {
	least := 0
	if d.cl.HasExtension("cl_intel_subgroups") && d.cl.HasExtension("cl_intel_subgroups_short") {
		for _, n := range d.info.SubgroupSizes { // empty where they may not
			if n >= 8 && n <= 16 && (least == 0 || int(n) < least) {
				least = int(n)
			}
		}
	}
	return least
}

// together reports whether the kernels of most probes are one. Drivers for CPUs compile each kernel
// when it is first launched, which takes the linker longest. Not llvmpipe's: it computes both sides of
// a branch for all items, so that in one kernel every rate would be that of all together.
func (d *Device) together() bool { return d.Class == CPU && d.Key != vendor.LLVMpipe }

// togetherSection has the kernels that run the other sections'.
const togetherSection = "together"

// probeSource is the program of all sections that the device may be asked to build, or of some, and their names.
func (d *Device) probeSource(only []string) (source string, names []string) {
	common, names, sections := probeSections()
	names = slices.DeleteFunc(names, func(n string) bool {
		return d.skips(n) != "" || (only != nil && !slices.Contains(only, n))
	})
	source = common
	for _, n := range names {
		source += sections[n]
	}
	return source, names
}

func (p *prober) skipped(section string) string { return p.o.device.skips(section) }

// skips says why a section must not even be compiled, empty if it may.
func (d *Device) skips(section string) string {
	switch {
	case section == "rate_fma" && d.has(quirk.NoFMA):
		return "quirk slow-fma"
	case section == "fp64" && d.has(quirk.NoFP64):
		return "quirk no-fp64"
	case (section == "dot_x86" || section == "dot_vex") && d.has(quirk.NoAssembly):
		return "quirk inline-assembly"
	case d.has(quirk.DeclaredOnly):
		i := slices.IndexFunc(probes, func(pr probe) bool { return pr.section == section })
		if i >= 0 && !probes[i].declared(d) {
			return "quirk macros-without-code"
		}
	}
	return ""
}

// build compiles sections, all when only is nil, as one program or else one by
// one, and returns the names of those that did build.
func (p *prober) build(std string, only []string) (built []string) {
	common, _, sections := probeSections()
	all, names := p.o.device.probeSource(only)
	if prog := p.compile(all, std); prog != nil {
		for _, n := range names {
			p.programs[std+n] = prog
		}
		return names
	}
	for _, n := range names {
		if n == togetherSection {
			continue
		}
		if prog := p.compile(common+sections[n], std); prog != nil {
			p.programs[std+n] = prog
			built = append(built, n)
		}
	}
	return built
}

func (p *prober) compile(source, std string) *cl.Program {
	prog, err := p.o.build(source, p.options(std), p.dev)
	if err != nil {
		p.o.opts.Logger.Debug("platform: probe does not build", "device", p.o.device.ID, "error", err)
		return nil
	}
	p.open = append(p.open, prog)
	return prog
}

// try runs one probe and records its proof. A probe that was proven at an earlier
// language level is not run again.
func (p *prober) try(pr probe, std string) {
	proof := Proof{Name: pr.section, Declared: pr.declared(p.o.device)}
	switch note, err := p.run(pr, std); {
	case err != nil:
		proof.Note = err.Error()
	default:
		proof.Proven, proof.Note = true, note
	}
	if proof.Proven {
		options := std
		if std == defaultStd {
			options = ""
		}
		pr.set(p.caps, options)
	}
	i := slices.IndexFunc(p.caps.Proofs, func(q Proof) bool { return q.Name == pr.section })
	switch {
	case i < 0:
		p.caps.Proofs = append(p.caps.Proofs, proof)
	case proof.Proven || !p.caps.Proofs[i].Proven && p.caps.Proofs[i].Note == notOffered:
		p.caps.Proofs[i] = proof
	}
}

const notOffered = "the compiler does not offer it"

var errNotOffered = errors.New(notOffered)

func (p *prober) run(pr probe, std string) (note string, err error) {
	if why := p.skipped(pr.section); why != "" {
		return "", errors.New("not tried: " + why)
	}
	prog := p.programs[std+pr.section]
	if prog == nil {
		return "", errors.New("does not build")
	}
	k, err := prog.Kernel(pr.kernel)
	if err != nil {
		if errors.Is(err, cl.InvalidKernelName) {
			return "", errNotOffered
		}
		return "", err
	}
	defer func() { p.o.warn("probe", k.Close()) }()
	items := min(probeItems, p.o.device.MaxWorkGroup)
	if std == defaultStd {
		if io, ok := p.answer(pr); ok && pr.right(io, items, p.caps) {
			return "", nil
		}
	}
	io := make([]uint32, 4*probeItems)
	copy(io, pr.in)
	q := p.queue
	err = errors.Join(k.SetBuffer(0, p.buffer), k.SetLocal(1, 4*probeItems), q.Write(p.buffer, 0, cl.Bytes(io), nil))
	if err != nil {
		return "", err
	}
	if err := q.Launch(k, cl.Range1(items, items), nil); err != nil {
		return "", err
	}
	if err := q.Read(p.buffer, 0, cl.Bytes(io), nil); err != nil {
		return "", err
	}
	if !pr.right(io, items, p.caps) {
		return "", errors.New("computes a wrong result")
	}
	if std != defaultStd {
		note = "with " + std
	}
	return note, nil
}

// tryNewer builds with the newer language levels that the device lists, and proves there the
// capabilities that CL1.2 did not offer.
func (p *prober) tryNewer(ctx context.Context) error {
	info := p.o.device.info
	lists := func(major int) bool {
		if len(info.OpenCLCVersions) == 0 {
			return info.Version.AtLeast(major, 0)
		}
		return slices.ContainsFunc(info.OpenCLCVersions, func(v cl.NamedVersion) bool { return v.Version.Major == major })
	}
	// A kernel must be there even if nothing is left to prove: it shows that the
	// level builds at all.
	for _, std := range []struct {
		major int
		name  string
	}{{3, "CL3.0"}, {2, "CL2.0"}} {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !lists(std.major) {
			continue
		}
		var left []probe
		only := []string{"copy"}
		for _, pr := range probes {
			if pr.level && !p.settled(pr) {
				left, only = append(left, pr), append(only, pr.section)
			}
		}
		option := "-cl-std=" + std.name
		if built := p.build(option, only); len(built) == 0 {
			continue
		}
		p.caps.Stds = append(p.caps.Stds, std.name)
		for _, pr := range left {
			p.try(pr, option)
		}
	}
	return nil
}

// tryRegisters proves that the compiler takes an option about the registers of items: any kernel shows it.
func (p *prober) tryRegisters(name, option string, taken *string) {
	std, err := defaultStd+" "+option, errNotOffered
	if built := p.build(std, []string{probes[0].section}); len(built) > 0 {
		_, err = p.run(probes[0], std)
	}
	if err == nil {
		*taken = option
	}
	p.record(name, false, err)
}

// settled reports whether there is nothing more to learn about a probe at a newer level. The probes
// of sub-groups are tried again as long as one of them fails, so that the build option is one under
// which as much as possible works at once.
func (p *prober) settled(pr probe) bool {
	if pr.section == "dot_khr" {
		return p.caps.IntDot
	}
	return p.caps.Subgroups && p.caps.Shuffle
}

func floatVector(width int) string {
	for _, w := range []int{16, 8, 4, 2} {
		if width >= w {
			return fmt.Sprintf("float%d", w)
		}
	}
	return "float"
}
