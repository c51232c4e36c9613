package matrix

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops/optest"
)

// joint is a report of targets with everything that they can have.
func joint() *Joint {
	one := example()
	return &Joint{Context: one.Context, Targets: []*Target{
		{
			Name: "good", About: "a <driver>", Kind: "run", Gate: true, Tier: "quick", Env: map[string]string{"A": "b c", "B": "d"}, Took: time.Second,
			Steps: []Step{{What: "matrix", State: optest.Passed}}, Engines: one.Engines[:1],
		},
		{Name: "bad", About: "another", Kind: "run", Gate: true, Tier: "full", Steps: []Step{{What: "matrix", State: optest.Failed, Why: "exit & done"}}, Engines: one.Engines[1:]},
		{
			Name: "compiler", About: "of somebody", Kind: "compile", Tier: "full",
			Steps: []Step{{What: "go ./x", State: optest.Failed, Why: "k: spills", Tally: Tally{Passed: 2, Failed: 1}, Checks: []Check{
				{Name: "k", State: optest.Failed, Why: "spills", Needs: &Needs{Family: "row", Kernel: "row_group", Programs: 3, Registers: [2]int{9, 255}, Local: 2048, Spilling: 2, Spill: 16}},
				{Name: "l", State: optest.Passed, Needs: &Needs{Family: "map", Kernel: "map_item", Programs: 7, Registers: [2]int{5, 40}, Spilling: 1, Excused: 1, Spill: 4}},
				{Name: "m", State: optest.Passed, Needs: &Needs{Family: "map", Kernel: "map_block", Forced: true, Programs: 2, Registers: [2]int{8, 17}}},
			}}},
		},
		{
			Name: "another-compiler", About: "of others", Kind: "compile", Tier: "full",
			Steps: []Step{{What: "go ./x", State: optest.Passed, Checks: []Check{{Name: "k", State: optest.Passed, Needs: &Needs{Family: "map", Kernel: "map_item", Programs: 7}}}}},
		},
	}}
}

func TestAJointPageIsWellFormedAndTellsWhatHolds(t *testing.T) {
	for name, j := range map[string]*Joint{"everything": joint(), "nothing": {}} {
		var b bytes.Buffer
		require.NoError(t, j.WriteHTML(&b))
		text := b.String()
		ids, links := map[string]bool{}, []string{}
		for d := xml.NewDecoder(&b); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err, name)
			if s, ok := token.(xml.StartElement); ok {
				for _, a := range s.Attr {
					switch a.Name.Local {
					case "id":
						require.False(t, ids[a.Value], "two of %s", a.Value)
						ids[a.Value] = true
					case "href":
						links = append(links, strings.TrimPrefix(a.Value, "#"))
					}
				}
			}
		}
		for _, l := range links {
			require.True(t, ids[l], l)
		}
		require.NotContains(t, text, "ZgotmplZ")
		if name == "nothing" {
			continue
		}
		require.Contains(t, text, "a &lt;driver&gt;")
		require.Contains(t, text, "exit &amp; done")
		require.Contains(t, text, "go run ./tools/cmd/targets run -tier quick good")
		require.Contains(t, text, "A=&#34;b c&#34; B=d")
		require.Contains(t, text, "✗ 1", "exp fails in one type on one target")
		for _, cell := range []string{
			`<div class="t failed">spills 16</div>`, `<div class="t absent">40*</div>`, `<div class="t passed">ok</div>`, // a family a line
			"<td>9 to 255, 2 KiB; 2 of 3 spill up to 16</td><td></td>", "<td>5 to 40; 1 of 7 spill up to 4</td><td>compiles</td>", "<td>8 to 17</td>",
		} {
			require.Contains(t, text, cell)
		}
		require.Contains(t, j.Verdict(), "1 of 2 targets that must pass do")
		require.Contains(t, j.Verdict(), "failing: bad; failing, for information: compiler")
		require.True(t, j.Failed())
	}
	require.Contains(t, joint().Targets[1].Line(), "FAIL  bad")
	require.Contains(t, joint().Targets[2].Line(), "2 of 3 tests")
}
