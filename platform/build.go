package platform

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/clbuiltin"
	"github.com/anycl/anycl/internal/cldriver"
	"github.com/anycl/anycl/platform/internal/diskcache"
	"github.com/anycl/anycl/platform/internal/linker"
	"github.com/anycl/anycl/platform/internal/programtext"
	"github.com/anycl/anycl/platform/internal/quirk"
	"github.com/anycl/anycl/platform/internal/vendor"
	"github.com/gofrs/flock"
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
		defer o.lockBuild(source, options)()
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

// lockWait is for how long a build waits for another process that builds the same.
const lockWait = time.Minute

// lockBuild waits until nobody builds the same source with this package, in whatever process, and
// returns the function that lets the next one do so. Where there can be no lock, or another process
// does not let go of it, there is none: builds that collide are rare.
func (o *Opened) lockBuild(source, options string) (unlock func()) {
	dir, _ := poclCache() // which colliding builds share
	dir = filepath.Join(dir, "anycl-locks")
	// Few files, which stay: a process that removes one may lock a file that no other one sees.
	lock := flock.New(filepath.Join(dir, diskcache.Key(source, options)[:2]))
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		_, err = lock.TryLockContext(ctx, 2*time.Millisecond)
	}
	if err != nil {
		o.opts.Logger.Debug("platform: build lock", "error", err)
	}
	return func() { _ = lock.Close() }
}

// envPoCLCache names PoCL's own cache folder.
const envPoCLCache = "POCL_CACHE_DIR"

// poclCache returns that folder, and the variable where one names it.
func poclCache() (dir, named string) {
	if dir := os.Getenv(envPoCLCache); dir != "" {
		return dir, envPoCLCache
	}
	if home, err := os.UserCacheDir(); err == nil {
		return filepath.Join(home, "pocl"), ""
	}
	return filepath.Join(os.TempDir(), "pocl"), "" // where PoCL goes without HOME
}

// linkerFolder is a folder for PoCL's linker, beside its kernels; "" where that is a folder that is everybody's.
func linkerFolder() string {
	cache, named := poclCache()
	if _, err := os.UserCacheDir(); err != nil && named == "" {
		return ""
	}
	return linker.Folder(cache)
}

// whyNone adds known causes to the note on a platform without devices: PoCL shows none where it
// cannot write its cache folder.
func whyNone(platform string) string {
	if vendor.Key(platform, "", "") != vendor.PoCL {
		return ""
	}
	dir, named := poclCache()
	if named != "" {
		named = " (" + named + ")"
	}
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(dir, "anycl-"); err == nil {
			_ = f.Close()
			err = os.Remove(f.Name())
		}
	}
	if err == nil {
		return ""
	}
	return ": PoCL has none where it cannot write its cache folder" + named + ": " + err.Error()
}
