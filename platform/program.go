package platform

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/ahead"
	"github.com/anycl/anycl/platform/internal/diskcache"
	"github.com/anycl/anycl/platform/internal/programtext"
	"github.com/anycl/anycl/platform/internal/quirk"
)

// programKey identifies a program within an opened device.
type programKey struct {
	name, source, options string
	device                *cl.Device
}

// program is built, or being built, by one goroutine for all who ask.
type program struct {
	done chan struct{} // closed when prog and err are set
	prog *cl.Program
	err  error
	kept ahead.Program // what of it is on disk, if anything
	used int64         // number of the last call that asked for it
}

// mostPrograms is the number of programs that stay cached. Drivers hold memory for each, and a
// process that compiles one graph after another for weeks must not run out of it.
const mostPrograms = 512

// defaultStd is the language level that every implementation builds: CL2.0 and
// CL3.0 are each refused by some.
const defaultStd = "-cl-std=CL1.2"

// Program returns the program built from OpenCL C source for this device. It
// comes from memory, from the disk cache, or from the compiler; callers who ask
// for the same program at the same time share one build. The program belongs to
// the opened device: do not Close it, and do not Build it again. It lives as long as
// anybody holds it or a kernel of it, until the device is closed; the 512 that were asked for last
// stay cached.
//
// The source is preceded by a definition of the macro FMA(a, b, c), which is
// a*b+c written the way that is right and fast on this device, and a #line
// directive with the name, so that compile errors say name:line. Where a driver gives wrong
// extents for dimensions that a launch does not have, get_global_size and its like are corrected. The option
// -cl-std=CL1.2 is added, unless the options hold another -cl-std.
//
// The disk cache's key is over this module's version, source, options, platform
// name and version, device name and vendor, driver version and pointer size. An
// entry that is missing, damaged or refused by the driver means a build from
// source, never an error.
//
// Errors: *cl.BuildError wrapped with the name; ctx's, while the build that
// others may wait for goes on; ErrClosed.
func (o *Opened) Program(ctx context.Context, name, source, options string) (*cl.Program, error) {
	return o.programFor(ctx, programKey{name, source, options, o.cl})
}

func (o *Opened) programFor(ctx context.Context, key programKey) (*cl.Program, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	o.mu.Lock()
	if o.closed {
		o.mu.Unlock()
		return nil, ErrClosed
	}
	if key.device == o.cl && o.caps.Provisional {
		o.work.Add(1) // which Close waits for
		o.mu.Unlock()
		err := o.confirm(ctx)
		o.work.Done()
		if err != nil {
			return nil, err
		}
		o.mu.Lock()
		if o.closed {
			o.mu.Unlock()
			return nil, ErrClosed
		}
	}
	p := o.programs[key]
	if p == nil {
		p = &program{done: make(chan struct{})}
		o.programs[key] = p
		o.forget()
		o.work.Add(1)
		go o.buildProgram(key, p)
	} else {
		o.stats.ProgramsShared++
	}
	o.asked++
	p.used = o.asked
	o.mu.Unlock()
	select {
	case <-p.done:
		if p.err == nil {
			ahead.Note(ctx, p.kept)
		}
		return p.prog, p.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// forget makes room for one more program: the least recently used is left to the callers that
// still use it. The caller holds o.mu.
func (o *Opened) forget() {
	if len(o.programs) <= o.most {
		return
	}
	var oldest programKey
	var found *program
	for key, p := range o.programs {
		select {
		case <-p.done:
			if p.prog != nil && (found == nil || p.used < found.used) {
				oldest, found = key, p
			}
		default: // being built
		}
	}
	if found == nil {
		return
	}
	delete(o.programs, oldest)
	o.orphans = append(slices.DeleteFunc(o.orphans, cl.Remnant.Closed), found.prog.Leave())
}

// builders bounds how many compilers run at once in this process.
var builders = make(chan struct{}, max(2, runtime.GOMAXPROCS(0)))

// oneBuilder is for drivers that are not safe for concurrent calls.
var oneBuilder = make(chan struct{}, 1)

// slot waits until one more compiler may run.
func (o *Opened) slot() (release func()) {
	slots := builders
	if o.device.has(quirk.OneThread) {
		slots = oneBuilder
	}
	slots <- struct{}{}
	return func() { <-slots }
}

func (o *Opened) buildProgram(key programKey, p *program) {
	defer o.work.Done()
	release := o.slot()
	p.prog, p.kept, p.err = o.loadOrBuild(key)
	release()
	if p.err != nil {
		p.err = fmt.Errorf("platform: program %q: %w", key.name, p.err)
		o.mu.Lock()
		delete(o.programs, key) // a later call tries again
		o.mu.Unlock()
	}
	close(p.done)
}

// place corrects a build error of a compiler that does not heed #line, as
// Oclgrind's and Mesa 26's: its places do not have the program's name. The prelude has
// prelude lines.
func place(err error, name string, prelude int) {
	be, ok := errors.AsType[*cl.BuildError](err)
	if ok && name != "" && be.Line > prelude && !strings.Contains(be.File, name) {
		be.File, be.Line = name, be.Line-prelude
	}
}

// fullSource puts the prelude before the source.
func (o *Opened) fullSource(name, source string) string {
	return strings.Join(o.prelude(name, source), "\n") + "\n" + source
}

// prelude is the lines before a source.
func (o *Opened) prelude(name, source string) []string {
	lines := []string{"#define FMA(a, b, c) " + o.caps.FMA.Expression()}
	if o.device.has(quirk.Dimensions) && programtext.AsksOutside(source) {
		lines = append(lines, programtext.SizesOutside...)
	}
	if o.device.has(quirk.HalfVectors) {
		lines = append(lines, programtext.HalfVectors(source)...)
	}
	return append(lines, "#line 1 "+strconv.Quote(strings.ToValidUTF8(name, "?")))
}

func withStd(options string) string {
	if strings.Contains(options, "-cl-std=") {
		return options
	}
	return strings.TrimSpace(defaultStd + " " + options)
}

func (o *Opened) loadOrBuild(key programKey) (_ *cl.Program, as ahead.Program, _ error) {
	source, options := o.fullSource(key.name, key.source), withStd(key.options)
	start := time.Now()
	own := key.device == o.cl
	kept, id := own && !o.disk.Off(), "" // of an inline device the driver keeps them
	if kept {
		id = o.device.programID(source, options)
		as = ahead.Program{ID: id, Options: options}
		prog := o.ahead.Take(id)
		if prog == nil {
			prog = o.fromDisk(id, options)
		}
		if prog != nil {
			o.count(func(s *Stats) { s.ProgramsLoaded++ })
			o.opts.Logger.Debug("platform: program loaded", "program", key.name, "took", time.Since(start))
			return prog, as, nil
		}
	}
	if prog, bitcode, loaded := o.ofBitcode(source, options, key.device); prog != nil {
		o.count(func(s *Stats) {
			if loaded {
				s.ProgramsLoaded++
			} else {
				s.ProgramsBuilt++
			}
		})
		o.opts.Logger.Debug("platform: program made of bitcode", "program", key.name, "kept", loaded, "took", time.Since(start))
		return prog, ahead.Program{ID: bitcode, Options: options, Bitcode: true, InlineDevice: !own}, nil
	}
	prog, err := o.build(source, options, key.device)
	if err != nil {
		if be, ok := errors.AsType[*cl.BuildError](err); ok && !own { // the inline device has no name that anybody knows
			be.Device = o.device.Name + " (driver " + o.device.Driver + ")"
		}
		place(err, key.name, len(o.prelude(key.name, key.source)))
		return nil, as, err
	}
	o.count(func(s *Stats) { s.ProgramsBuilt++ })
	o.opts.Logger.Debug("platform: program built", "program", key.name, "took", time.Since(start))
	if kept {
		o.toDisk(id, prog)
	}
	return prog, as, nil
}

// programID names a binary in the disk cache.
func (d *Device) programID(source, options string) string {
	return diskcache.Key(append([]string{diskcache.FileMagic, diskcache.Version(), source, options}, d.identity()...)...)
}

// fromDisk returns the cached program, nil when it must be built from source.
func (o *Opened) fromDisk(id, options string) *cl.Program {
	binary, err := o.disk.Load(id)
	o.warn("program cache: read", err)
	if binary == nil {
		return nil
	}
	prog, err := o.fromBinary(binary, options, o.cl)
	if err == nil {
		return prog
	}
	// The hash held, so the driver itself has changed its mind.
	o.warn("program cache: the driver refuses an entry", err)
	o.disk.Drop(id)
	return nil
}

// fromBinary makes a program of a binary.
func (o *Opened) fromBinary(binary []byte, options string, dev *cl.Device) (*cl.Program, error) {
	prog, err := o.context.NewProgramFromBinary(dev, binary)
	if err != nil {
		return nil, err
	}
	if err := prog.Build(options, dev); err != nil {
		return nil, errors.Join(err, prog.Close())
	}
	return prog, nil
}

// toDisk keeps a built program. Nothing that fails here matters to the caller.
func (o *Opened) toDisk(id string, prog *cl.Program) {
	if o.device.has(quirk.KernelsFirst) {
		kernels, err := prog.Kernels()
		o.warn("program cache: kernels", err)
		for _, k := range kernels {
			defer func() { o.warn("program cache: kernels", k.Close()) }()
		}
	}
	binary, err := prog.Binary(o.cl)
	if err == nil {
		err = o.disk.Save(id, binary)
	}
	o.warn("program cache: write", err)
}

// Ahead begins to load the programs that a caller with this mark asked for in an earlier process, unless this one has them; they are
// asked for all the same. Those asked for with its Context are noted, until End.
func (o *Opened) Ahead(mark string) *ahead.Graph {
	return o.ahead.Begin(o.device.programID("programs of "+mark, ""))
}

// reload makes the program p of what is kept of it; nil where that cannot be.
func (o *Opened) reload(p ahead.Program) *cl.Program {
	if !p.Bitcode {
		return o.fromDisk(p.ID, p.Options)
	}
	dev := o.cl
	if p.InlineDevice {
		dev = o.device.inline.cl
	}
	var prog *cl.Program
	b, err := o.bitcode.Load(p.ID)
	if b != nil {
		prog, err = o.link(p.ID, b, p.Options, dev)
	}
	o.warn("a program is not loaded ahead", err)
	return prog
}
