package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"
)

//go:embed peer.mjs
var script []byte

// peer is a process that answers questions.
type peer struct {
	name string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Scanner
}

func startPeer(name, suite, folder, data string) (*peer, error) {
	path := filepath.Join(folder, "columns-peer.mjs")
	if err := os.WriteFile(path, script, 0o644); err != nil {
		return nil, err
	}
	p := &peer{name: name, cmd: exec.Command("node", path, name, data, strconv.Itoa(runtime.GOMAXPROCS(0)), suite)}
	p.cmd.Dir, p.cmd.Stderr = folder, os.Stderr
	p.cmd.Env = append(os.Environ(), fmt.Sprintf("POLARS_MAX_THREADS=%d", runtime.GOMAXPROCS(0)))
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewScanner(out)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	_, err = p.ask("")
	return p, err
}

// ask returns a peer's answer; its time is 0 for a question that it is not asked.
func (p *peer) ask(question string) (answer, error) {
	if question != "" {
		if _, err := fmt.Fprintln(p.in, question); err != nil {
			return answer{}, err
		}
	}
	if !p.out.Scan() {
		return answer{}, errors.New("the process ended")
	}
	var reply struct {
		MS    float64
		CPU   float64
		Rows  int
		Sums  []float64
		Error string
	}
	if err := json.Unmarshal(p.out.Bytes(), &reply); err != nil {
		return answer{}, fmt.Errorf("%q: %w", p.out.Text(), err)
	}
	if reply.Error != "" {
		return answer{}, errors.New(reply.Error)
	}
	return answer{time.Duration(reply.MS * 1e6), time.Duration(reply.CPU * 1e6), reply.Rows, reply.Sums}, nil
}

func (p *peer) stop() {
	p.in.Close()
	_ = p.cmd.Wait()
}
