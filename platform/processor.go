package platform

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/anycl/anycl/platform/internal/diskcache"
)

// Processor is the file in which processes keep what they have measured of the machine's processors: for fallback.Engine's Measure.
type Processor struct{ path string }

// processorVersion is part of its name. Raise it whenever a measurement changes.
const processorVersion = 1

// KeptProcessor is that file below the folder of o, of this version of the module. Nil options are the zero value.
func KeptProcessor(o *Options) *Processor {
	dir := o.withDefaults().CacheDir
	if dir == "" {
		return &Processor{}
	}
	key := diskcache.Key(diskcache.Processor, strconv.Itoa(processorVersion), diskcache.Version(), runtime.GOOS, runtime.GOARCH, strconv.Itoa(runtime.NumCPU()), processorName())
	return &Processor{filepath.Join(dir, "devices", key[:32]+"."+diskcache.Processor)}
}

// Load reads into v what is there. Whatever is wrong with the file, it is as if it were not there: then v is not to be used.
func (p *Processor) Load(v any) bool { return diskcache.ReadJSON(p.path, diskcache.Processor, v) }

// Save keeps v in place of what was kept before. It does nothing where nothing is kept on disk. Errors: the folder cannot be written.
func (p *Processor) Save(v any) error { return diskcache.WriteJSON(p.path, diskcache.Processor, v) }

// processorName tells processors of machines that share a folder apart, on Linux and Windows.
func processorName() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return os.Getenv("PROCESSOR_IDENTIFIER") // of Windows
	}
	var name []string
	for s := bufio.NewScanner(bytes.NewReader(b)); s.Scan() && s.Text() != ""; { // the first processor
		field, value, _ := strings.Cut(s.Text(), ":")
		switch strings.TrimSpace(field) {
		case "model name", "cpu family", "model", "CPU implementer", "CPU part":
			name = append(name, strings.TrimSpace(value))
		}
	}
	return strings.Join(name, ",")
}
