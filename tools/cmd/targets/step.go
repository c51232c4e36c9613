package main

import (
	"fmt"
	"path"
	"strings"
)

// step is one thing that runs in a target.
type step struct {
	text string
	verb string // matrix, test, go, exec
	what string // a package of the repository, or the command of exec
	args []string
}

func parseStep(text string) (*step, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil, fmt.Errorf("an empty step")
	}
	s := &step{text: text, verb: words[0], args: words[1:]}
	switch s.verb {
	case "matrix":
		s.what = "./tools/cmd/anycl"
		return s, nil
	case "test", "go", "exec":
		if len(words) < 2 {
			return nil, fmt.Errorf("step %q: what?", text)
		}
		s.what, s.args = words[1], words[2:]
		if s.verb != "exec" && s.what != "." && !strings.HasPrefix(s.what, "./") {
			return nil, fmt.Errorf("step %q: a package is written ./like/this", text)
		}
		return s, nil
	}
	return nil, fmt.Errorf("step %q: must begin with matrix, test, go or exec", text)
}

// binary is the name of the binary that is built for the step, "" for none.
func (s *step) binary() string {
	name := strings.ReplaceAll(strings.TrimPrefix(path.Clean(s.what), "./"), "/", "-")
	switch {
	case s.verb == "exec":
		return ""
	case s.verb != "test":
		return name
	case name == ".":
		return "anycl.test"
	}
	return name + ".test"
}

// flags are the arguments of the binary: those of go test are spelled out.
func (s *step) flags() []string {
	if s.verb != "test" {
		return s.args
	}
	out := []string{"-test.v"}
	for _, a := range s.args {
		if rest, ok := strings.CutPrefix(a, "-"); ok && !strings.HasPrefix(rest, "test.") {
			a = "-test." + rest
		}
		out = append(out, a)
	}
	return out
}
