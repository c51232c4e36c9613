package bench

import (
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/anycl/anycl/ops"
)

// Context is what a figure means nothing without.
type Context struct {
	Time     time.Time `json:"time"`
	Commit   string    `json:"commit"` // of this module; "+" when files were changed
	Go       string    `json:"go"`
	OS       string    `json:"os"` // with the kernel's version
	Arch     string    `json:"arch"`
	CPU      string    `json:"cpu"`
	Family   string    `json:"family,omitempty"` // and model of the CPU: virtual machines call many the same
	Cores    int       `json:"cores"`
	Procs    int       `json:"procs,omitempty"`  // GOMAXPROCS
	Vector   string    `json:"vector,omitempty"` // widest vector instructions
	Clock    string    `json:"clock"`            // how the clock behaves, as far as it can be seen
	Load     string    `json:"load,omitempty"`   // of the last minute, before the run
	Device   string    `json:"device,omitempty"`
	Driver   string    `json:"driver,omitempty"`
	Platform string    `json:"platform,omitempty"`
	Method   Method    `json:"method"`
}

// NewContext describes this machine, the device of rt, which may be nil, and m.
func NewContext(rt *ops.Runtime, m Method) Context {
	c := Context{
		Time: time.Now().UTC().Truncate(time.Second), Commit: commit(), Go: runtime.Version(), Arch: runtime.GOARCH,
		OS: strings.TrimSpace(runtime.GOOS + " " + read("/proc/sys/kernel/osrelease")), Cores: runtime.NumCPU(), Procs: runtime.GOMAXPROCS(0), Method: m.filled(),
	}
	info := read("/proc/cpuinfo")
	c.CPU = field(info, "model name")
	if family := field(info, "cpu family"); family != "" {
		c.Family = "family " + family + ", model " + field(info, "model")
	}
	flags := " " + field(info, "flags") + " "
	for _, v := range []string{"avx512f", "avx2", "avx"} {
		if strings.Contains(flags, " "+v+" ") {
			c.Vector = v
			break
		}
	}
	c.Clock = clock(info)
	if f := strings.Fields(read("/proc/loadavg")); len(f) > 0 {
		c.Load = f[0]
	}
	if rt != nil {
		if d := rt.Device(); d != nil {
			c.Device, c.Driver, c.Platform = d.String(), d.Driver, d.PlatformName+", "+d.PlatformVersion
		}
	}
	return c
}

// Processor names the CPU so that two that differ have two names.
func (c Context) Processor() string {
	if c.Family == "" {
		return c.CPU
	}
	return c.CPU + " (" + c.Family + ")"
}

func clock(info string) string {
	governor := read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
	if governor == "" {
		governor = "governor not visible"
	}
	if mhz := field(info, "cpu MHz"); mhz != "" {
		governor += ", " + mhz + " MHz at the start"
	}
	return governor
}

// commit is the revision that was built, or else the one that lies here.
func commit() string {
	if b, ok := debug.ReadBuildInfo(); ok {
		set := map[string]string{}
		for _, s := range b.Settings {
			set[s.Key] = s.Value
		}
		if r := set["vcs.revision"]; r != "" {
			return mark(r, set["vcs.modified"] == "true")
		}
	}
	rev, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	changed, err := exec.Command("git", "status", "--porcelain", "-uno").Output()
	return mark(strings.TrimSpace(string(rev)), err != nil || len(changed) > 0)
}

func mark(revision string, changed bool) string {
	revision = revision[:min(12, len(revision))]
	if changed {
		revision += "+"
	}
	return revision
}

func read(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return "" // another system: the field stays empty
	}
	return strings.TrimSpace(string(b))
}

// field is the first value of a line "name : value".
func field(text, name string) string {
	m := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + `\s*: (.*)$`).FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return m[1]
}
