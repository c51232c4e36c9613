package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/anycl/anycl/ops/optest"
	"github.com/anycl/anycl/tools/internal/matrix"
)

// run runs the targets, so many at the same time: a driver compiles with one thread. It reports
// whether one failed that must not.
func (p *place) run(ctx context.Context, w io.Writer, chosen []*target, tier string, jobs int) (failed bool, err error) {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(jobs, 1))
	var mu sync.Mutex
	for _, t := range chosen {
		g.Go(func() error {
			var lines bytes.Buffer
			r, err := p.runTarget(ctx, &lines, t, tier)
			mu.Lock()
			defer mu.Unlock()
			failed = failed || err == nil && r.Gate && r.Failed()
			_, werr := lines.WriteTo(w)
			return errors.Join(err, werr)
		})
	}
	err = g.Wait()
	return failed, err
}

func (p *place) runTarget(ctx context.Context, w io.Writer, t *target, tier string) (*matrix.Target, error) {
	if err := os.RemoveAll(p.out(t.Name)); err != nil {
		return nil, err
	}
	for _, folder := range []string{p.out(t.Name), filepath.Join(p.cache(t), "pocl")} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, err
		}
	}
	start := time.Now()
	r := &matrix.Target{Name: t.Name, About: t.About, Kind: t.Kind, Root: t.Root, Env: t.Env, Gate: !t.Info, Tier: tier, Time: start.UTC(),
		Commit: matrix.Here().Commit}
	for i, text := range t.steps(tier) {
		s, err := parseStep(text)
		if err != nil {
			return nil, err
		}
		result, engines := p.runStep(ctx, t, s, fmt.Sprintf("%d-%s", i+1, s.verb))
		r.Steps, r.Engines = append(r.Steps, result), append(r.Engines, engines...)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	r.Took = time.Since(start)
	fmt.Fprintln(w, r.Line())
	for _, s := range r.Steps {
		if s.State == optest.Failed {
			fmt.Fprintf(w, "  %s\n    %s\n", s.What, strings.ReplaceAll(s.Why, "\n", "\n    "))
		}
	}
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return nil, err
	}
	return r, os.WriteFile(p.out(t.Name, "result.json"), text, 0o644)
}

// runStep runs one step, whose files are named after it. Errors are in the result.
func (p *place) runStep(ctx context.Context, t *target, s *step, name string) (matrix.Step, []*matrix.Engine) {
	start := time.Now()
	result := matrix.Step{What: s.text, State: optest.Passed}
	fail := func(why string) {
		result.State = optest.Failed
		result.Why = strings.TrimSpace(result.Why + "\n" + why)
	}
	report, checks, log := p.out(t.Name, name+".json"), p.out(t.Name, name+".checks"), p.out(t.Name, name+".log")
	argv := append([]string{p.bin(s.binary())}, s.flags()...)
	folder := p.out(t.Name)
	switch s.verb {
	case "matrix":
		argv = append([]string{argv[0], "matrix", "-contain", "-o", report}, s.args...)
	case "test":
		folder = filepath.Join(p.repo, s.what)
	case "exec":
		argv = append([]string{s.what}, s.args...)
	}
	extra := map[string]string{"ANYCL_CHECKS": checks}
	if t.Clean != "" {
		extra[t.Clean] = log
	}
	within, cancel := context.WithTimeout(ctx, t.Limit)
	defer cancel()
	out, err := p.command(within, t, folder, extra, argv...).CombinedOutput()
	if werr := os.WriteFile(p.out(t.Name, name+".txt"), out, 0o644); werr != nil {
		fail(werr.Error())
	}
	switch {
	case within.Err() != nil:
		fail(fmt.Sprintf("did not end in %v\n%s", t.Limit, tail(out)))
	case err != nil:
		fail(err.Error() + "\n" + tail(out))
	}
	if s.verb == "test" {
		result.Tally = countTests(out)
		if result.Passed == 0 && result.State == optest.Passed {
			fail("no test passed")
		}
	}
	var engines []*matrix.Engine
	if s.verb == "matrix" {
		var err error
		if engines, err = readEngines(report); err != nil {
			fail(err.Error())
		}
	}
	if result.Checks, err = readChecks(checks); err != nil {
		fail(err.Error())
	}
	for _, c := range result.Checks {
		result.Enter(c.State)
		if c.State == optest.Failed {
			fail(c.Name + ": " + c.Why)
		}
	}
	if text, err := os.ReadFile(log); err == nil && len(bytes.TrimSpace(text)) > 0 {
		fail(t.Clean + " is not empty:\n" + head(text))
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		fail(err.Error())
	}
	result.Took = time.Since(start)
	return result, engines
}

// begins and verdicts match the lines of go test -v for tests and subtests that begin and end; those that have
// subtests count too.
var (
	begins   = regexp.MustCompile(`(?m)^=== RUN +(\S+)`)
	verdicts = regexp.MustCompile(`(?m)^ *--- (PASS|FAIL|SKIP): (\S+)`)
)

func countTests(out []byte) matrix.Tally {
	var t matrix.Tally
	begun := map[string]bool{} // other ends are printed by programs that tests start
	for _, m := range begins.FindAllSubmatch(out, -1) {
		begun[string(m[1])] = true
	}
	for _, m := range verdicts.FindAllSubmatch(out, -1) {
		if !begun[string(m[2])] {
			continue
		}
		t.Enter(map[string]optest.State{"PASS": optest.Passed, "FAIL": optest.Failed, "SKIP": optest.Absent}[string(m[1])])
	}
	return t
}

func readEngines(path string) ([]*matrix.Engine, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var r matrix.Report
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r.Engines, nil
}

func readChecks(path string) ([]matrix.Check, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []matrix.Check
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var c matrix.Check
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", path, lines.Text(), err)
		}
		switch c.State {
		case optest.Passed, optest.Failed, optest.Absent:
		default:
			return nil, fmt.Errorf("%s: %s: there is no state %q", path, c.Name, c.State)
		}
		out = append(out, c)
	}
	return out, nil
}

// head and tail are as much of a text as a report wants to show.
func head(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[:min(len(lines), 20)], "\n")
}

func tail(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}
