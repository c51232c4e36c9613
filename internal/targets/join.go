package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/anycl/anycl/internal/matrix"
)

// join joins the latest results of every target of the table in one report.
func (p *place) join(w io.Writer, tab *table) error {
	j := &matrix.Joint{Context: matrix.Here()}
	for _, t := range tab.Targets {
		text, err := os.ReadFile(p.out(t.Name, "result.json"))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		r := &matrix.Target{}
		if err := json.Unmarshal(text, r); err != nil {
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
