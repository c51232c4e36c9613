package platform

import (
	"errors"
	"os"

	"github.com/anycl/anycl/platform/internal/diskcache"
)

// What the tuner has found for a device is kept like its calibration: one sealed
// file for each device, driver and version of this module. What is in it is its
// reader's business.

// tuningVersion is part of the key of what is kept on disk. Raise it whenever what
// was measured no longer holds.
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
