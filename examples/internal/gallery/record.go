package gallery

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Record is the kept record of a run: a line of JSON.
type Record struct {
	Name    string       `json:"name"`
	Device  string       `json:"device,omitempty"`
	Driver  string       `json:"driver,omitempty"`
	CPU     string       `json:"cpu"`
	Cores   int          `json:"cores"`
	Go      string       `json:"go"`
	Commit  string       `json:"commit,omitempty"`
	Date    string       `json:"date"`
	Lines   Lines        `json:"lines"`
	Checks  []Check      `json:"checks"`
	Works   []WorkRecord `json:"works"`
	Missing []string     `json:"missing,omitempty"` // peers that are not installed
	// Seconds of the whole run, until the device was open, and for graphs to be compiled.
	Total    float64 `json:"total,omitempty"`
	Opened   float64 `json:"opened,omitempty"`
	Compiled float64 `json:"compiled,omitempty"`
}

// Lines are how long a program is, without its tests.
type Lines struct {
	Go      int `json:"go"`                // of main.go, the program
	Kernels int `json:"kernels,omitempty"` // in OpenCL C
	Rest    int `json:"rest,omitempty"`    // files beside it: data, pictures, tables
	Checks  int `json:"checks,omitempty"`  // kernels in Go, references and peers: host.go, reference.go, peers.go
}

// Check is something that must hold, and whether it does.
type Check struct {
	What  string `json:"what"`
	Holds bool   `json:"holds"`
}

// WorkRecord is a work and its times: on the device, if there is one, then on the CPU path.
type WorkRecord struct {
	Name   string      `json:"name"`
	Unit   string      `json:"unit,omitempty"`
	Amount float64     `json:"amount,omitempty"`
	Runs   []RunRecord `json:"runs"`
	Peer   *PeerRecord `json:"peer,omitempty"`
}

// RunRecord is the time of a work in one place.
type RunRecord struct {
	Where   string  `json:"where"`
	Seconds float64 `json:"seconds"`
	First   float64 `json:"first"` // seconds until the first result, with compiling
	Amount  float64 `json:"amount,omitempty"`
}

// PeerRecord is the time of a peer.
type PeerRecord struct {
	Name    string  `json:"name"`
	Version string  `json:"version"`
	Seconds float64 `json:"seconds"`
	Amount  float64 `json:"amount,omitempty"`
}

// keep completes the record and appends it to the file.
func (p *Program) keep(ctx context.Context) error {
	r := &p.record
	r.Name, r.Cores, r.Go, r.CPU = p.Name, runtime.NumCPU(), runtime.Version(), processor()
	r.Date = time.Now().UTC().Format(time.RFC3339)
	if p.folder != "" {
		r.Lines = CountLines(p.folder)
		if out, err := exec.CommandContext(ctx, "git", "-C", p.folder, "describe", "--always", "--dirty", "--abbrev=12").Output(); err == nil {
			r.Commit = strings.TrimSpace(string(out))
		}
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(p.JSON, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// CountLines counts the lines of the program in a folder.
func CountLines(folder string) (n Lines) {
	files, _ := filepath.Glob(filepath.Join(folder, "*")) // the pattern is right, and a folder that cannot be read has no lines
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		lines := strings.Count(string(text), "\n")
		switch name := filepath.Base(file); {
		case strings.HasSuffix(name, "_test.go"):
		case filepath.Ext(name) == ".cl":
			n.Kernels += lines
		case name == "host.go" || name == "reference.go" || name == "peers.go":
			n.Checks += lines
		case name == "main.go":
			n.Go += lines
		case filepath.Ext(name) == ".go":
			n.Rest += lines
		}
	}
	return n
}

// processor is the name of the machine's processor, where the system tells it.
func processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if key, value, _ := strings.Cut(s.Text(), ":"); strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
