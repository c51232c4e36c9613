package gallery

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Peer is another program for the same work: a script in Python, or a command.
//
// It runs in an empty folder with Files in it, and writes a line of JSON, its last, to standard output:
//
//	{"version": "1.24.2", "seconds": 0.123, "result": ...}
type Peer struct {
	Name    string         // "NumPy": in the table, before the version
	Python  string         // a script, with go:embed from a file beside the program
	Command []string       // a command instead; the first is looked for in PATH
	Args    []any          // for the script, as fmt.Sprint writes them
	Env     []string       // NAME=value, added to the environment
	Files   map[string]any // by name: slices of numbers as they lie in memory, little-endian (np.fromfile reads them); or []byte
	// Parse makes the result of the output of a command that writes no such line of JSON. Nil: it is the last line.
	Parse  func(output []byte) (PeerResult, error)
	Amount float64 // how much of the work's unit it does; 0: as much as the work
}

// PeerResult is the result that a peer reports.
type PeerResult struct {
	Name    string          `json:"name"` // where it is another than that of the Peer
	Version string          `json:"version"`
	Seconds float64         `json:"seconds"`
	Result  json.RawMessage `json:"result"`
}

// Beside runs a peer, where -peer asks for it, for the work that Both did last, and decodes its result into result. It returns
// false, after a line that says so, where the peer is not installed. Errors: the peer fails.
func (p *Program) Beside(ctx context.Context, peer Peer, result any) (bool, error) {
	if !p.Peers {
		return false, nil
	}
	r, err := peer.run(ctx)
	if errors.Is(err, exec.ErrNotFound) {
		p.Printf("%s: not installed, so there is no time beside it\n", peer.Name)
		p.record.Missing = append(p.record.Missing, peer.Name)
		return false, nil
	}
	if err == nil && result != nil {
		err = json.Unmarshal(r.Result, result)
	}
	if err != nil {
		return false, fmt.Errorf("%s: %w", peer.Name, err)
	}
	if works := p.record.Works; len(works) > 0 {
		work := &works[len(works)-1]
		amount := peer.Amount
		if amount == 0 {
			amount = work.Amount
		}
		work.Peer = &PeerRecord{Name: cmp.Or(r.Name, peer.Name), Version: r.Version, Seconds: r.Seconds, Amount: amount}
	}
	return true, nil
}

// Compared says whether the last work has been timed beside a peer.
func (p *Program) Compared() bool {
	works := p.record.Works
	return len(works) > 0 && works[len(works)-1].Peer != nil
}

func (peer Peer) run(ctx context.Context) (PeerResult, error) {
	dir, err := os.MkdirTemp("", "anycl-peer-")
	if err != nil {
		return PeerResult{}, err
	}
	defer os.RemoveAll(dir)
	script := filepath.Join(dir, "peer.py")
	if peer.Python != "" {
		if err := os.WriteFile(script, []byte(peer.Python), 0o644); err != nil {
			return PeerResult{}, err
		}
	}
	for name, content := range peer.Files {
		if err := writeFile(filepath.Join(dir, name), content); err != nil {
			return PeerResult{}, err
		}
	}
	if peer.Python == "" {
		return peer.start(ctx, dir, peer.Command)
	}
	r, err := peer.start(ctx, dir, []string{"python3", script})
	if errors.Is(err, exec.ErrNotFound) { // the first in PATH may be another than the one with the system's packages
		r, err = peer.start(ctx, dir, []string{systemPython, script})
	}
	return r, err
}

// systemPython is the one that Linux distributions' packages are for.
const systemPython = "/usr/bin/python3"

// start runs a command in a folder.
func (peer Peer) start(ctx context.Context, dir string, command []string) (PeerResult, error) {
	var stdout, stderr bytes.Buffer
	args := slices.Clone(command[1:])
	for _, a := range peer.Args {
		args = append(args, fmt.Sprint(a))
	}
	cmd := exec.CommandContext(ctx, command[0], args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	if len(peer.Env) > 0 {
		cmd.Env = append(os.Environ(), peer.Env...)
	}
	if err := cmd.Run(); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return PeerResult{}, exec.ErrNotFound
		}
		if strings.Contains(stderr.String(), "ModuleNotFoundError") ||
			strings.Contains(stderr.String(), "MODULE_NOT_FOUND") { // of Python, of Node
			return PeerResult{}, exec.ErrNotFound
		}
		if ctx.Err() != nil {
			return PeerResult{}, ctx.Err()
		}
		return PeerResult{}, fmt.Errorf("%w\n%s", err, tail(stderr.String()+stdout.String()))
	}
	if peer.Parse != nil {
		return peer.Parse(stdout.Bytes())
	}
	lines := bytes.Split(bytes.TrimSpace(stdout.Bytes()), []byte("\n"))
	var r PeerResult
	if err := json.Unmarshal(lines[len(lines)-1], &r); err != nil {
		return r, fmt.Errorf("its last line is not the JSON that is expected: %w\n%s", err, tail(stdout.String()))
	}
	return r, nil
}

// writeFile writes numbers as they lie in memory, or bytes.
func writeFile(path string, content any) error {
	b, ok := content.([]byte)
	if !ok {
		var buf bytes.Buffer
		if err := binary.Write(&buf, binary.LittleEndian, content); err != nil {
			return err
		}
		b = buf.Bytes()
	}
	return os.WriteFile(path, b, 0o644)
}

// tail is the end of a command's output.
func tail(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-12):], "\n")
}
