package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/anycl/anycl/tools/internal/matrix"
)

// join joins the latest results of every target of the table in one report. Those of targets that did
// not run in p are taken from an earlier report, where one is named.
func (p *place) join(w io.Writer, tab *table, earlier string) error {
	var old matrix.Joint
	if earlier != "" {
		if err := readJSON(earlier, &old); err != nil {
			return fmt.Errorf("earlier report: %w", err)
		}
	}
	j := &matrix.Joint{Context: matrix.Here()}
	for _, t := range tab.Targets {
		r := &matrix.Target{}
		err := readJSON(p.out(t.Name, "result.json"), r)
		if errors.Is(err, os.ErrNotExist) {
			i := slices.IndexFunc(old.Targets, func(o *matrix.Target) bool { return o.Name == t.Name })
			if i < 0 {
				continue
			}
			r, err = old.Targets[i], nil
		}
		if err != nil {
			return fmt.Errorf("result of %s: %w", t.Name, err)
		}
		j.Targets = append(j.Targets, r)
	}
	text, err := json.MarshalIndent(j, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(p.out("report.json"), text, 0o644); err != nil {
		return err
	}
	f, err := os.Create(p.out("report.html"))
	if err != nil {
		return err
	}
	if err := errors.Join(j.WriteHTML(f), f.Close()); err != nil {
		return err
	}
	fmt.Fprintf(w, "%s\n%s\n", j.Verdict(), p.out("report.html"))
	return nil
}

func readJSON(path string, to any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, to)
}
