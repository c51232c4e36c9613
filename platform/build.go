package platform

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/clbuiltin"
	"github.com/anycl/anycl/internal/cldriver"
	"github.com/anycl/anycl/platform/internal/diskcache"
	"github.com/anycl/anycl/platform/internal/poclcache"
	"github.com/anycl/anycl/platform/internal/programtext"
	"github.com/anycl/anycl/platform/internal/quirk"
	"github.com/anycl/anycl/platform/internal/vendor"
)

// build makes a program of source for dev, a device of this context.
func (o *Opened) build(source, options string, dev *cl.Device) (*cl.Program, error) {
	prog, err := o.fromSource(source, options, dev)
	if err == nil && programtext.Marked(source) && o.device.Key == vendor.NVIDIA {
		return o.assemble(prog, options, dev)
	}
	return prog, err
}

// assemble builds a program anew with its marked lines as code, and closes the old one.
func (o *Opened) assemble(prog *cl.Program, options string, dev *cl.Device) (_ *cl.Program, err error) {
	defer func() { err = errors.Join(err, prog.Close()) }()
	binary, err := prog.Binary(dev)
	if err != nil {
		return nil, err
	}
	text, err := programtext.Unmark(binary)
	if err != nil {
		return nil, fmt.Errorf("platform: %w", err)
	}
	assembled, err := o.context.NewProgramFromBinary(dev, text)
	if err != nil {
		return nil, err
	}
	if err := assembled.Build(options, dev); err != nil {
		return nil, errors.Join(err, assembled.Close())
	}
	return assembled, nil
}

// fromSource compiles a program: without the compiler's long header where that is known to save
// time, and with it where it does not build so.
func (o *Opened) fromSource(source, options string, dev *cl.Device) (*cl.Program, error) {
	short, ok := "", false
	if o.device.has(quirk.LongHeader) && !o.longHeader.Load() && strings.Contains(options, defaultStd) {
		short, ok = clbuiltin.Declare(source)
	}
	if !ok {
		return o.compile(source, options, dev)
	}
	prog, err := o.compile(short+source, options+" "+clbuiltin.Without, dev)
	if err == nil {
		o.shortHeader.Store(true)
		return prog, nil
	}
	if _, ok := errors.AsType[*cl.BuildError](err); !ok {
		return nil, err
	}
	prog, err = o.compile(source, options, dev)
	if err == nil && !o.shortHeader.Load() {
		o.longHeader.Store(true) // this compiler has another header
	}
	return prog, err
}

// optimizedOnce makes Clang leave a program unoptimised but mark its loops as not to be changed, for the pass that optimises its
// kernels later. The tabs keep PoCL, which knows no options but those of OpenCL, from seeing more than a macro.
const optimizedOnce = "-DANYCL_OPTIMIZED_ONCE\t-disable-llvm-passes\t-Os"

// OptimizedOnce is the options for programs that are compiled sooner with them and run as fast: those whose loops are unrolled and
// whose vectors are written out in the source. Empty where the driver has none. Where it refuses them after all, programs are
// built without.
func (d *Device) OptimizedOnce() string {
	if !d.has(quirk.TwicePasses) {
		return ""
	}
	return optimizedOnce
}

// BodiesApart reports whether the driver compiles several copies of each kernel, but not of a function that it calls.
func (d *Device) BodiesApart() bool { return d.has(quirk.ThreeBodies) }

// quietABI keeps Clang from saying that other compilers pass wide vectors in another way.
const quietABI = "#pragma clang diagnostic ignored \"-Wpsabi\"\n"

// compile makes a program of source as it is, without the options of OptimizedOnce where they are refused.
func (o *Opened) compile(source, options string, dev *cl.Device) (*cl.Program, error) {
	plain := strings.Replace(options, optimizedOnce, "", 1)
	if plain == options || o.refusesOnce.Load() {
		return o.compileWith(source, plain, dev)
	}
	prog, err := o.compileWith(source, options, dev)
	if errors.Is(err, cl.InvalidBuildOptions) || errors.Is(err, cl.BuildProgramFailure) {
		if prog, err = o.compileWith(source, plain, dev); err == nil {
			o.refusesOnce.Store(true)
		}
	}
	return prog, err
}

func (o *Opened) compileWith(source, options string, dev *cl.Device) (*cl.Program, error) {
	if o.device.has(quirk.ABIWarnings) {
		source = quietABI + source
	}
	prog, err := o.context.NewProgram(source)
	if err != nil {
		return nil, err
	}
	if o.device.has(quirk.LockBuilds) {
		defer poclcache.Lock(source+"\x00"+options, o.opts.Logger)()
	}
	build := func() { err = prog.Build(options, dev) }
	if o.device.Key == vendor.PoCL {
		cldriver.WithLargePages(build)
	} else {
		build()
	}
	if err != nil {
		return nil, errors.Join(err, prog.Close())
	}
	return prog, nil
}

// A driver that finds programs in its own cache by the preprocessed source (quirk preprocesses-again) spends most of the time
// that a program takes which it has on preprocessing. So what the front end makes of a source is kept here, as the bitcode of a
// library, and programs are made of that: the driver links it with its built-in functions and compiles its kernels as it would those of
// the source.

// asLibrary makes a program one that no built-in functions are linked to, whose kernels are not compiled when its binary is asked for.
const asLibrary = " -create-library"

// ofBitcode returns the program of source made of bitcode, which is kept as id and comes from the disk or from the compiler; loaded says
// from which. It is nil where that cannot be: programs are built of their sources then, which tells what is wrong with them.
func (o *Opened) ofBitcode(source, options string, dev *cl.Device) (prog *cl.Program, id string, loaded bool) {
	if o.bitcode.Off() || o.noBitcode.Load() {
		return nil, "", false
	}
	id = o.device.programID(source, options+asLibrary+dev.Info().Name)
	if prog = o.ahead.Take(id); prog != nil {
		return prog, id, true
	}
	bitcode, err := o.bitcode.Load(id)
	o.warn("bitcode cache: read", err)
	if bitcode != nil {
		if prog, err = o.link(id, bitcode, options, dev); err == nil {
			return prog, id, true
		}
		o.warn("bitcode cache: the driver refuses an entry", err)
		o.bitcode.Drop(id)
	}
	library, err := o.build(source, options+asLibrary, dev)
	if err != nil {
		return nil, "", false
	}
	binary, err := library.Binary(dev)
	o.warn("bitcode cache: binary", err)
	o.warn("bitcode cache: library", library.Close())
	if bitcode = bitcodeIn(binary); bitcode != nil {
		if prog, err = o.link(id, bitcode, options, dev); err == nil {
			o.warn("bitcode cache: write", o.bitcode.Save(id, bitcode))
			return prog, id, false
		}
	}
	o.warn("bitcode cache: programs are built of their sources", err)
	o.noBitcode.Store(true)
	return nil, "", false
}

// link makes a program of bitcode. Processes that link the same collide as those that build one source do.
func (o *Opened) link(id string, bitcode []byte, options string, dev *cl.Device) (*cl.Program, error) {
	if o.device.has(quirk.LockBuilds) {
		defer poclcache.Lock(id, o.opts.Logger)()
	}
	return o.fromBinary(bitcode, options, dev)
}

// bitcodeIn is the module of LLVM in a binary of PoCL's: a file of that name, with its length before it; nil where there is none. Source:
// serialize_file in lib/CL/pocl_binary.c of PoCL 3.1.
func bitcodeIn(b []byte) []byte {
	const name, magic = "/program.bc", "BC\xc0\xde"
	_, b, ok := bytes.Cut(b, []byte("\x0b\x00\x00\x00"+name))
	if !ok || len(b) < 4 {
		return nil
	}
	n := binary.LittleEndian.Uint32(b)
	if b = b[4:]; uint64(n) > uint64(len(b)) || !bytes.HasPrefix(b[:n], []byte(magic)) {
		return nil
	}
	return b[:n]
}

// newBitcode is where the bitcode of programs is kept, if it is.
func newBitcode(d *Device, r *Options) *diskcache.Programs {
	if !d.has(quirk.Preprocesses) || !d.has(quirk.OwnCache) {
		return diskcache.NewPrograms("", 0)
	}
	return diskcache.NewPrograms(r.CacheDir, r.CacheBytes)
}
