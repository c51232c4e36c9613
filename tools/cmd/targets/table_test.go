package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheTableOfTheRepositoryIsWhole(t *testing.T) {
	tab, err := readTable(filepath.Join("..", "..", "..", "portability", "targets.yaml"))
	require.NoError(t, err)
	for _, tier := range []string{quick, full} {
		chosen, err := tab.choose(nil, tier)
		require.NoError(t, err)
		require.NotEmpty(t, chosen, tier)
	}
	all, err := tab.choose(nil, "")
	require.NoError(t, err)
	require.Len(t, all, len(tab.Targets), "every target has steps on demand")
	for _, row := range tab.Targets {
		for _, text := range append(row.steps(quick), row.steps(full)...) {
			s, err := parseStep(text)
			require.NoError(t, err)
			if s.verb == "test" || s.verb == "go" {
				require.DirExists(t, filepath.Join("..", "..", "..", s.what), "%s: %s", row.Name, text)
			}
		}
	}
}

func TestAWrongTableSaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"targets: [{name: a, about: b, kind: run, root: host, full: [matrix], gaet: true}]":                                 "gaet",
		"targets: [{name: A B, about: b, kind: run, root: host, full: [matrix]}]":                                           "lower case",
		"targets: [{name: a, kind: run, root: host, full: [matrix]}]":                                                       "about is missing",
		"targets: [{name: a, about: b, kind: walk, root: host, full: [matrix]}]":                                            `kind "walk"`,
		"targets: [{name: a, about: b, kind: run, root: sid, full: [matrix]}]":                                              `no root "sid"`,
		"targets: [{name: a, about: b, kind: run, root: host}]":                                                             "no steps",
		"targets: [{name: a, about: b, kind: run, root: host, full: [dance]}]":                                              "must begin with",
		"targets: [{name: a, about: b, kind: run, root: host, full: [test]}]":                                               "what?",
		"targets: [{name: a, about: b, kind: run, root: host, full: [test ops]}]":                                           "./like/this",
		"targets: [{name: a, about: b, kind: run, root: host, full: [matrix $X]}]":                                          "no word $X",
		"targets: [&a {name: a, about: b, kind: run, root: host, full: [matrix]}, *a]":                                      "there are two",
		"roots: {host: {suite: sid, packages: [x]}}\ntargets: [{name: a, about: b, kind: run, root: host, full: [matrix]}]": `root "host"`,
	} {
		_, err := parseTable([]byte(text))
		require.ErrorContains(t, err, want, text)
	}
}

func TestATierChoosesTargetsAndSteps(t *testing.T) {
	tab, err := parseTable([]byte(`targets:
- {name: both, about: x, kind: run, root: host, quick: [exec true], full: [exec false]}
- {name: late, about: x, kind: run, root: host, full: [matrix]}
- {name: soon, about: x, kind: run, root: host, quick: [matrix]}`))
	require.NoError(t, err)
	names := func(tier string, asked ...string) (out []string) {
		chosen, err := tab.choose(asked, tier)
		require.NoError(t, err)
		for _, row := range chosen {
			out = append(out, row.Name+": "+row.steps(tier)[0])
		}
		return out
	}
	require.Equal(t, []string{"both: exec true", "soon: matrix"}, names(quick))
	require.Equal(t, []string{"both: exec false", "late: matrix", "soon: matrix"}, names(full))
	require.Equal(t, []string{"soon: matrix"}, names(full, "soon"))
	worded, err := parseTable([]byte("words: {W: -op add}\ntargets: [{name: a, about: b, kind: run, root: host, full: [matrix $W]}]"))
	require.NoError(t, err)
	require.Equal(t, []string{"matrix -op add"}, worded.Targets[0].Full)
	_, err = tab.choose([]string{"late"}, quick)
	require.ErrorContains(t, err, "no target late with quick steps")
	_, err = tab.choose(nil, "daily")
	require.ErrorContains(t, err, "daily")
}

func TestStepsNameTheirBinariesAndFlags(t *testing.T) {
	for text, want := range map[string][]string{
		"matrix -device pocl -graphs 8": {"tools-cmd-anycl", "-device", "pocl", "-graphs", "8"},
		"test . -run Every|Random":      {"anycl.test", "-test.v", "-test.run", "Every|Random"},
		"test ./internal/ocl -short":    {"internal-ocl.test", "-test.v", "-test.short"},
		"go ./examples/saxpy":           {"examples-saxpy"},
		"exec clinfo -l":                {"", "-l"},
	} {
		s, err := parseStep(text)
		require.NoError(t, err)
		require.Equal(t, want, append([]string{s.binary()}, s.flags()...), text)
	}
}
