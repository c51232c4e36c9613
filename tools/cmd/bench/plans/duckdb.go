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
)

//go:embed duckdb.mjs
var script []byte

// duckdb is a process that answers queries.
type duckdb struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startDuckDB(folder string) (*duckdb, error) {
	path := filepath.Join(folder, "plans-duckdb.mjs")
	if err := os.WriteFile(path, script, 0o644); err != nil {
		return nil, err
	}
	d := &duckdb{cmd: exec.Command("node", path)}
	d.cmd.Dir, d.cmd.Stderr = folder, os.Stderr
	var err error
	if d.in, err = d.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	d.out = bufio.NewReader(out)
	return d, d.cmd.Start()
}

// ask returns rows of values as text, nil for null.
func (d *duckdb) ask(sql string) ([][]*string, error) {
	line, err := json.Marshal(sql)
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(d.in, "%s\n", line); err != nil {
		return nil, err
	}
	text, err := d.out.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("the process ended: %w", err)
	}
	var reply struct {
		Rows  [][]*string
		Error string
	}
	if err := json.Unmarshal(text, &reply); err != nil {
		return nil, err
	}
	if reply.Error != "" {
		return nil, errors.New(reply.Error)
	}
	return reply.Rows, nil
}

func (d *duckdb) stop() {
	d.in.Close()
	_ = d.cmd.Wait() // it ends with its input
}
