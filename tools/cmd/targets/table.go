package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// table is the file of targets, which says what its fields mean.
type table struct {
	Words   map[string]string `yaml:"words"`
	Roots   map[string]*root  `yaml:"roots"`
	Targets []*target         `yaml:"targets"`
}

type root struct {
	Suite      string            `yaml:"suite"`
	Components []string          `yaml:"components"`
	Packages   []string          `yaml:"packages"`
	Unpack     map[string]string `yaml:"unpack"`
}

type target struct {
	Name  string            `yaml:"name"`
	About string            `yaml:"about"`
	Kind  string            `yaml:"kind"`
	Root  string            `yaml:"root"`
	Env   map[string]string `yaml:"env"`
	Clean string            `yaml:"clean"`
	Quick []string          `yaml:"quick"`
	Full  []string          `yaml:"full"`
	Info  bool              `yaml:"info"`
	Limit time.Duration     `yaml:"limit"`
}

const (
	quick, full = "quick", "full"
	host        = "host"
)

var (
	kinds     = []string{"run", "check", "compile"}
	plainName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*$`)
)

// readTable reads and checks the file of targets. Errors: all that is wrong in it.
func readTable(path string) (*table, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t, err := parseTable(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

func parseTable(text []byte) (*table, error) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	var t table
	if err := d.Decode(&t); err != nil {
		return nil, err
	}
	var wrong []error
	for name, r := range t.Roots {
		if !plainName.MatchString(name) || name == host || r == nil || r.Suite == "" || len(r.Packages) == 0 {
			wrong = append(wrong, fmt.Errorf("root %q: needs a plain name, a suite and packages", name))
		}
	}
	seen := map[string]bool{}
	for _, row := range t.Targets {
		for _, steps := range [][]string{row.Quick, row.Full} {
			for i, text := range steps {
				steps[i] = os.Expand(text, func(word string) string {
					if t.Words[word] == "" {
						wrong = append(wrong, fmt.Errorf("target %q: there is no word $%s", row.Name, word))
					}
					return t.Words[word]
				})
			}
		}
		if err := row.check(t.Roots); err != nil {
			wrong = append(wrong, fmt.Errorf("target %q: %w", row.Name, err))
		}
		if seen[row.Name] {
			wrong = append(wrong, fmt.Errorf("target %q: there are two", row.Name))
		}
		seen[row.Name] = true
	}
	return &t, errors.Join(wrong...)
}

func (t *target) check(roots map[string]*root) error {
	switch {
	case !plainName.MatchString(t.Name):
		return errors.New("a name is lower case letters, digits, dots and dashes")
	case t.About == "":
		return errors.New("about is missing")
	case !slices.Contains(kinds, t.Kind):
		return fmt.Errorf("kind %q: must be %s", t.Kind, strings.Join(kinds, ", "))
	case t.Root != host && roots[t.Root] == nil:
		return fmt.Errorf("there is no root %q", t.Root)
	case len(t.Quick)+len(t.Full) == 0:
		return errors.New("no steps")
	}
	if t.Limit == 0 {
		t.Limit = time.Hour
	}
	for _, text := range slices.Concat(t.Quick, t.Full) {
		if _, err := parseStep(text); err != nil {
			return err
		}
	}
	return nil
}

// steps are those of a tier.
func (t *target) steps(tier string) []string {
	if tier == full && len(t.Full) > 0 {
		return t.Full
	}
	return t.Quick
}

func (t *target) gate() string {
	if t.Info {
		return "info"
	}
	return "gate"
}

func (t *target) tiers() string {
	if len(t.Quick) > 0 {
		return "each change"
	}
	return "on demand"
}

// choose finds targets by name; without names all that a tier has steps for. Errors: a name is of
// no target, or of one without such steps.
func (t *table) choose(names []string, tier string) ([]*target, error) {
	if tier == "" {
		tier = full
	}
	if tier != quick && tier != full {
		return nil, fmt.Errorf("-tier %s: must be quick or full", tier)
	}
	var out []*target
	for _, row := range t.Targets {
		if len(row.steps(tier)) > 0 && (len(names) == 0 || slices.Contains(names, row.Name)) {
			out = append(out, row)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(out, func(row *target) bool { return row.Name == name }) {
			return nil, fmt.Errorf("there is no target %s with %s steps: see list", name, tier)
		}
	}
	return out, nil
}
