package platform

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/anycl/anycl/internal/procs"
	"github.com/anycl/anycl/platform/internal/diskcache"
)

// learnedVersion is part of the key of learned corrections on disk. Raise it whenever the basis of
// predictions changes.
const learnedVersion = 7

// Learned fills v with the corrections that KeepLearned kept for this device and driver. It reports
// false where nothing is kept, or v rejects it.
func (o *Opened) Learned(v json.Unmarshaler) bool {
	return o.device.load(o.opts.CacheDir, diskcache.Learned, learnedVersion, v)
}

// KeepLearned keeps v for this device and driver. That it cannot be kept is no error: the
// logger is told.
func (o *Opened) KeepLearned(v json.Marshaler) {
	if o.Keeps() {
		o.warn("what was learned is not kept", o.device.save(o.opts.CacheDir, diskcache.Learned, learnedVersion, v))
	}
}

// LoadMeasured reads into v the value that SaveMeasured has kept of this kind and version for this device,
// driver and version of the module. A file with any fault counts as missing: then v is not to be used.
func (o *Opened) LoadMeasured(kind string, version int, v any) bool {
	return o.device.load(o.opts.CacheDir, kind, version, v)
}

// SaveMeasured keeps v, as JSON, in place of the value kept before. Kind is one word. It does
// nothing without a cache folder. Errors: the folder cannot be written.
func (o *Opened) SaveMeasured(kind string, version int, v any) error {
	return o.device.save(o.opts.CacheDir, kind, version, v)
}

// The tuner's results for a device are kept like its calibration: one checksummed file for each
// device, driver and version of this module. Only its reader knows the format of the content.

// tuningVersion is part of the key of tuning results on disk. Raise it whenever the measurements no longer hold.
const tuningVersion = 1

// UsesTuning reports whether tuned parameters may be used at all: it is false
// where Options.TuneDir, or ANYCL_TUNE, is off.
func (o *Opened) UsesTuning() bool { return o.opts.TuneDir != CacheOff }

func (o *Opened) tuningPath() string {
	if !o.UsesTuning() {
		return ""
	}
	return o.device.devicePath(o.opts.TuneDir, diskcache.Tuning, tuningVersion)
}

// LoadTuning returns the tuned parameters that are kept for this device and
// driver, nil where there are none that are whole.
func (o *Opened) LoadTuning() []byte {
	path := o.tuningPath()
	if path == "" {
		return nil
	}
	b, err := diskcache.Read(path, diskcache.Tuning)
	if err != nil {
		if !diskcache.Missing(err) {
			o.warn("tuned parameters", err)
		}
		return nil
	}
	return b
}

// SaveTuning keeps tuned parameters for this device and driver, in place of those
// of before; nil forgets them. Readers see the old file or the new one. Errors:
// nothing is kept here; the folder cannot be written.
func (o *Opened) SaveTuning(b []byte) error {
	path := o.tuningPath()
	switch {
	case path == "":
		return errors.New("platform: tuned parameters are not kept: the cache or the tuning is off")
	case b == nil:
		if err := os.Remove(path); err != nil && !diskcache.Missing(err) {
			return err
		}
		return nil
	}
	diskcache.SweepTemp(path)
	return diskcache.Write(path, diskcache.Tuning, b)
}

// Processor is the file in which processes keep their measurements of the machine's processors: for fallback.Engine's Measure.
type Processor struct{ path string }

// processorVersion is part of its name. Raise it whenever a measurement changes.
const processorVersion = 2

// KeptProcessor is that file below the folder of o, of this version of the module. Nil options are the zero value.
func KeptProcessor(o *Options) *Processor {
	dir := o.withDefaults().CacheDir
	if dir == "" {
		return &Processor{}
	}
	key := diskcache.Key(diskcache.Processor, strconv.Itoa(processorVersion), diskcache.Version(),
		runtime.GOOS, runtime.GOARCH, strconv.Itoa(runtime.NumCPU()), procs.Name())
	return &Processor{filepath.Join(dir, "devices", key[:32]+"."+diskcache.Processor)}
}

// Load reads the kept value into v, and reports whether it did. A file with any fault counts as missing: then v is not to be used.
func (p *Processor) Load(v any) bool { return diskcache.ReadJSON(p.path, diskcache.Processor, v) }

// Save keeps v in place of the value kept before. It does nothing where nothing is kept on disk. Errors: the folder cannot be written.
func (p *Processor) Save(v any) error { return diskcache.WriteJSON(p.path, diskcache.Processor, v) }
