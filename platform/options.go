package platform

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/anycl/anycl/cl"
)

// Environment variables that this package reads.
const (
	// EnvDevice names the device to use; see [Machine.Select] for the grammar.
	EnvDevice = "ANYCL_DEVICE"
	// EnvCache is the folder of the caches; "off" disables them.
	EnvCache = "ANYCL_CACHE"
	// EnvTune is the folder of tuned parameters; "off" goes without them.
	EnvTune = "ANYCL_TUNE"
	// EnvStaging is how bytes go to and from a device; see Options.Staging.
	EnvStaging = "ANYCL_STAGING"
)

// CacheOff as Options.CacheDir, or as ANYCL_CACHE, disables the caches on disk.
const CacheOff = "off"

const (
	stagingOn  = "on"
	stagingOff = "off"
)

const (
	defaultCacheBytes = 256 << 20
	defaultPoolBytes  = 1 << 30
)

// Options configure Discover and Open. The zero value is right for most. For Discover nil means the
// zero value, for Open the options that Discover was given.
type Options struct {
	// Library is the OpenCL library to use; nil means cl.Default().
	Library *cl.Library
	// Spec names the device that Select("") selects; empty means ANYCL_DEVICE, and if that is empty
	// too, the best device.
	Spec string
	// CacheDir holds compiled programs, proven capabilities and calibrations.
	// Empty means ANYCL_CACHE, else the folder anycl in os.UserCacheDir; "off"
	// keeps nothing on disk. A folder that cannot be used costs time, never a failure.
	CacheDir string
	// CacheBytes caps the compiled programs on disk; the least recently used go
	// first. Zero means 256 MiB.
	CacheBytes int64
	// TuneDir holds tuned parameters. Empty means ANYCL_TUNE, else CacheDir; "off"
	// uses none, neither those of the tuner nor those that come with the package.
	TuneDir string
	// PoolBytes caps the closed memory that an opened device keeps for reuse.
	// Zero means 1 GiB, or a quarter of the device's memory if that is less;
	// negative keeps none.
	PoolBytes int64
	// Staging is "on" to move bytes through pinned memory and queues of their own,
	// as is done on devices that have memory of their own, or "off" for single
	// commands. Empty means ANYCL_STAGING, and if that is empty too, whichever the
	// device is made for. "on" where memory is shared serves tests and comparisons.
	Staging string
	// Logger receives choices (Info), compiled or loaded programs (Debug) and faults that are no
	// errors (Warn). Nil discards.
	Logger *slog.Logger
}

func (o *Options) withDefaults() Options {
	var r Options
	if o != nil {
		r = *o
	}
	if r.CacheDir == "" {
		r.CacheDir = os.Getenv(EnvCache)
	}
	switch r.CacheDir {
	case CacheOff:
		r.CacheDir = ""
	case "":
		if dir, err := os.UserCacheDir(); err == nil {
			r.CacheDir = filepath.Join(dir, "anycl")
		}
	}
	if r.TuneDir == "" {
		r.TuneDir = os.Getenv(EnvTune)
	}
	if r.TuneDir == "" {
		r.TuneDir = r.CacheDir
	}
	if r.Staging == "" {
		r.Staging = os.Getenv(EnvStaging)
	}
	if r.CacheBytes == 0 {
		r.CacheBytes = defaultCacheBytes
	}
	if r.Logger == nil {
		r.Logger = slog.New(slog.DiscardHandler)
	}
	return r
}

// check refuses options that mean nothing.
func (o *Options) check() error {
	switch o.Staging {
	case "", stagingOn, stagingOff:
		return nil
	}
	return fmt.Errorf("platform: %s=%s, or Options.Staging: must be on or off", EnvStaging, o.Staging)
}

// staged reports whether transfers with d go through pinned memory.
func (o *Options) staged(d *Device) bool {
	return o.Staging == stagingOn || o.Staging == "" && !d.Unified && d.Class != Simulator
}

// poolCap is the pool's cap for a device with so much memory.
func (o *Options) poolCap(global int64) int64 {
	switch {
	case o.PoolBytes < 0:
		return 0
	case o.PoolBytes > 0:
		return o.PoolBytes
	case global > 0:
		return min(defaultPoolBytes, global/4)
	}
	return defaultPoolBytes
}
