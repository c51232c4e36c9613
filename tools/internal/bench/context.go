package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/platform"
)

// Context holds the conditions of a measurement, without which a figure means nothing.
type Context struct {
	Time     time.Time `json:"time"`
	Commit   string    `json:"commit"` // of this module; "+" when files were changed, "?" when that is not known
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
	GPU      bool      `json:"gpu,omitempty"` // the device is one
	Platform string    `json:"platform,omitempty"`
	Method   Method    `json:"method"`
}

// NewContext describes this machine, the device of rt, which may be nil, and m.
func NewContext(rt *ops.Runtime, m Method) Context {
	c := Context{
		Time: time.Now().UTC().Truncate(time.Second), Commit: commit(), Go: runtime.Version(), Arch: runtime.GOARCH,
		OS: strings.TrimSpace(runtime.GOOS + " " + read("/proc/sys/kernel/osrelease")), Cores: runtime.NumCPU(), Procs: runtime.GOMAXPROCS(0),
		Method: m.filled(),
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
			c.GPU = d.Class == platform.GPU
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

// commit is the revision that was built, or else that of the checkout where the source lies. go run stamps none.
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
	dir := "."
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) { // not with -trimpath
		dir = filepath.Dir(file)
	}
	return commitAt(dir)
}

// commitAt is the revision of the checkout that dir lies in: by git, or where that is missing or refuses another user's folder, as
// its files tell. These do not tell whether anything was changed, which a "?" says.
func commitAt(dir string) string {
	git := func(args ...string) (string, error) {
		out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).Output()
		return strings.TrimSpace(string(out)), err
	}
	if rev, err := git("rev-parse", "HEAD"); err == nil {
		changed, err := git("status", "--porcelain", "-uno")
		return mark(rev, err != nil || changed != "")
	}
	if rev := headOf(dir); rev != "" {
		return mark(rev, false) + "?"
	}
	return "unknown"
}

// headOf reads the revision of the checkout that dir lies in from git's files, "" where it cannot.
func headOf(dir string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for ; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		folder := filepath.Join(dir, ".git")
		info, err := os.Stat(folder)
		if err != nil {
			continue
		}
		if !info.IsDir() { // a worktree: its own HEAD, and refs with all others'
			folder = under(dir, strings.TrimPrefix(read(folder), "gitdir: "))
		}
		head := read(filepath.Join(folder, "HEAD"))
		ref, isRef := strings.CutPrefix(head, "ref: ")
		if !isRef {
			return head
		}
		common := folder
		if c := read(filepath.Join(folder, "commondir")); c != "" {
			common = under(folder, c)
		}
		if rev := read(filepath.Join(common, filepath.FromSlash(ref))); rev != "" {
			return rev
		}
		for line := range strings.Lines(read(filepath.Join(common, "packed-refs"))) {
			if rev, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name == ref {
				return rev
			}
		}
		return ""
	}
	return ""
}

// under is path where it is absolute, else below dir.
func under(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
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
