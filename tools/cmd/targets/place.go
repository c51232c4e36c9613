package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// place is where everything lies.
type place struct {
	repo string // the checkout
	work string // roots, bin, cache, out
}

func newPlace() (*place, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/anycl/anycl").Output()
	if err != nil {
		return nil, fmt.Errorf("go list -m github.com/anycl/anycl: %w", err)
	}
	at := &place{repo: strings.TrimSpace(string(out))}
	at.work = os.Getenv("ANYCL_TARGETS")
	if at.work == "" {
		at.work = filepath.Join(at.repo, ".cache", "targets")
	}
	if at.work, err = filepath.Abs(at.work); err != nil {
		return nil, err
	}
	if _, err := os.Stat(at.table()); err != nil {
		return nil, fmt.Errorf("not in a checkout of anycl: %w", err)
	}
	return at, os.MkdirAll(at.bin(""), 0o755)
}

func (p *place) table() string             { return filepath.Join(p.repo, "portability", "targets.yaml") }
func (p *place) script(name string) string { return filepath.Join(p.repo, "portability", name) }
func (p *place) bin(name string) string    { return filepath.Join(p.work, "bin", name) }
func (p *place) root(name string) string   { return filepath.Join(p.work, "roots", name) }
func (p *place) cache(t *target) string    { return filepath.Join(p.work, "cache", t.Name) }
func (p *place) out(elem ...string) string {
	return filepath.Join(append([]string{p.work, "out"}, elem...)...)
}

// setup makes the roots that the targets need.
func (p *place) setup(ctx context.Context, log io.Writer, tab *table, chosen []*target) error {
	done := map[string]bool{host: true}
	for _, t := range chosen {
		if done[t.Root] {
			continue
		}
		done[t.Root] = true
		r := tab.Roots[t.Root]
		components := strings.Join(r.Components, " ")
		if components == "" {
			components = "main"
		}
		args := []string{p.root(t.Root), r.Suite, components, strings.Join(r.Packages, " ")}
		for deb, folder := range r.Unpack {
			args = append(args, deb+"="+folder)
		}
		slices.Sort(args[4:])
		c := exec.CommandContext(ctx, p.script("root.sh"), args...)
		c.Stdout, c.Stderr = log, log
		if err := c.Run(); err != nil {
			return fmt.Errorf("root %s: %w", t.Root, err)
		}
	}
	return nil
}

// build compiles, without cgo, each binary that the steps run.
func (p *place) build(ctx context.Context, chosen []*target, tier string) error {
	done := map[string]bool{"": true}
	for _, t := range chosen {
		for _, text := range t.steps(tier) {
			s, err := parseStep(text)
			if err != nil {
				return err
			}
			if done[s.binary()] {
				continue
			}
			done[s.binary()] = true
			args := []string{"build"}
			if s.verb == "test" {
				args = []string{"test", "-c"}
			}
			c := exec.CommandContext(ctx, "go", append(args, "-ldflags", "-s -w", "-o", p.bin(s.binary()), s.what)...)
			c.Dir, c.Env = p.repo, append(os.Environ(), "CGO_ENABLED=0")
			if out, err := c.CombinedOutput(); err != nil {
				return fmt.Errorf("build %s: %w\n%s", s.what, err, out)
			}
		}
	}
	return nil
}

// command is argv in the target's root, in folder, with the target's environment and extra.
// Everything that it started dies with it.
func (p *place) command(ctx context.Context, t *target, folder string, extra map[string]string, argv ...string) *exec.Cmd {
	env := map[string]string{
		"HOME": p.cache(t), "XDG_CACHE_HOME": p.cache(t), "POCL_CACHE_DIR": filepath.Join(p.cache(t), "pocl"),
		"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "TMPDIR": "/tmp", "LANG": "C.UTF-8",
	}
	if t.Root == host {
		env["PATH"] = os.Getenv("PATH")
	}
	for k, v := range t.Env {
		env[k] = os.Expand(v, func(name string) string {
			if name == "OUT" {
				return p.out(t.Name)
			}
			return os.Getenv(name)
		})
	}
	for k, v := range extra {
		env[k] = v
	}
	if t.Root != host {
		argv = slices.Concat([]string{p.script("enter.sh"), p.root(t.Root), folder, p.repo, p.bin(""), p.cache(t), p.out(t.Name), "--"}, argv)
	}
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Dir = folder
	for k, v := range env {
		c.Env = append(c.Env, k+"="+v)
	}
	inGroup(c)
	c.WaitDelay = 10 * time.Second
	return c
}
