package matrix

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/platform"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// example is a report with everything that one can have.
func example() *Report {
	part := func(op, dt string, n Tally, ulp, share float64) Part {
		return Part{Op: op, DType: dt, Tally: n, ULP: ulp, Share: share, Bound: "3 ulp", By: "the specification", Took: 1500 * time.Microsecond}
	}
	failed := part("exp", "float32", Tally{Passed: 3, Failed: 1}, 2, 0.7)
	failed.Why = "odd: 1 of 35 elements is wrong & <bad>"
	absent := part("exp", "float64", Tally{Absent: 4}, 0, 0)
	absent.Why = "test:0 has no double"
	gradient := part("exp", "float32", Tally{Passed: 2}, 0, 0.02)
	gradient.Gradient = true
	sum := part("sum", "float32", Tally{Passed: 9, Left: 2}, 80, 0.4)
	sum.Bound = "0.5 ulp + n·u·Σ|terms|"
	return &Report{
		Context: Context{
			Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Commit: "0123456789ab", Go: "go1.26", OS: "linux", Arch: "amd64",
			CPU: "a CPU", Cores: 2, Took: 90 * time.Second,
		},
		Library: "libOpenCL.so.1", Absent: []string{"nvidia"}, Notes: []platform.Note{{What: "platform <X>", Why: "no devices"}},
		Engines: []*Engine{
			{
				Name: "cpu", Took: 2 * time.Second, Graphs: []Graphs{{What: "random graphs", Tally: Tally{Passed: 16}}},
				Parts: []Part{part("exp", "float32", Tally{Passed: 4}, 0.5, 0.2), part("exp", "float64", Tally{Passed: 4}, 0.5, 0.2), sum, gradient},
			},
			{
				Name: "test:0", Took: 80 * time.Second,
				Device: &platform.Report{
					Device: &platform.Device{ID: "test:0", Key: "test", Name: "A <device>", Driver: "1.0", PlatformName: "P", PlatformVersion: "OpenCL 3.0", Units: 2, LocalMem: 32 << 10, GlobalMem: 1 << 30, MaxAlloc: 1 << 28},
					Quirks: []platform.Quirk{
						{Name: "slow-fma", Driver: "test", Symptom: "fma() is slow", Remedy: "FMA is a*b+c", Source: "measured", Test: "TestFMA"},
						{Name: "no-fp64", Symptom: "crashes", Remedy: "is missing", Forced: true},
					},
					QuirksOff: []string{"no-direct"},
					Caps:      &platform.Caps{Stds: []string{"CL1.2"}, Proofs: []platform.Proof{{Name: "fp64", Declared: true, Note: "does not build"}, {Name: "half", Proven: true}}},
				},
				Parts:  []Part{part("exp", "float16", Tally{Passed: 4}, 0.25, 0.5), failed, absent, sum, gradient},
				Graphs: []Graphs{{What: "random graphs", Tally: Tally{Passed: 15, Failed: 1}, Why: "v3 differs"}},
			},
		},
	}
}

func TestJSONHasTheShapeThatProgramsRead(t *testing.T) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	require.NoError(t, e.Encode(example()))
	golden(t, "report.json", b.Bytes())
}

func TestPageIsPinned(t *testing.T) {
	golden(t, "report.html", rendered(t, example()))
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "go test ./tools/internal/matrix -update rewrites it")
}

func rendered(t *testing.T, r *Report) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, r.WriteHTML(&b))
	return b.Bytes()
}

// A page that is well-formed as XML is one that every browser reads alike.
func TestPageIsWellFormedAndNeedsNothingElse(t *testing.T) {
	none := example()
	none.Engines, none.LoadErr, none.Library = none.Engines[:1], "not found", ""
	empty := &Report{}
	for name, r := range map[string]*Report{"everything": example(), "no device": none, "nothing": empty} {
		t.Run(name, func(t *testing.T) {
			text := rendered(t, r)
			ids, links, ops := map[string]bool{}, []string{}, 0
			d := xml.NewDecoder(bytes.NewReader(text))
			for {
				token, err := d.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				require.NoError(t, err)
				s, ok := token.(xml.StartElement)
				if !ok {
					continue
				}
				require.NotContains(t, []string{"script", "link", "img", "iframe", "object", "base"}, s.Name.Local)
				if s.Name.Local == "summary" { // what opens has to be reached by keyboard
					ops++
				}
				for _, a := range s.Attr {
					switch a.Name.Local {
					case "id":
						require.False(t, ids[a.Value], "two of %s", a.Value)
						ids[a.Value] = true
					case "href":
						links = append(links, a.Value)
					case "src", "srcset", "onclick":
						t.Errorf("%s=%s", a.Name.Local, a.Value)
					}
				}
			}
			for _, l := range links {
				id, err := url.PathUnescape(strings.TrimPrefix(l, "#"))
				require.NoError(t, err)
				require.True(t, strings.HasPrefix(l, "#") && ids[id], l)
			}
			require.NotContains(t, string(text), "url(")
			require.NotContains(t, string(text), "@import")
			require.NotContains(t, string(text), "ZgotmplZ", "a value that the template could not place")
			want := 0
			for _, e := range r.Engines {
				want += len(e.rows())
			}
			require.Equal(t, want, ops)
		})
	}
}

func TestPageTellsWhatHolds(t *testing.T) {
	text := string(rendered(t, example()))
	require.Contains(t, text, "1 sample fails, 1 random graph fails; 37 samples pass.")
	require.Contains(t, text, "is wrong &amp; &lt;bad&gt;")
	require.Contains(t, text, "slow-fma")
	require.Contains(t, text, "has no double")
	require.Contains(t, text, "Not on this machine, so not shown: nvidia")
	require.Contains(t, text, "prefers-color-scheme: dark")

	well := example()
	well.Engines = well.Engines[:1]
	text = string(rendered(t, well))
	require.Contains(t, text, "agrees with the reference: 19 samples and 16 random graphs on 1 engine.")
	require.Contains(t, text, "There is no OpenCL device here")
	require.NotContains(t, text, "fail.")
	well.Engines[0].Err = "locked"
	require.Contains(t, string(rendered(t, well)), "1 engine cannot be used; 19 samples pass.")
}
