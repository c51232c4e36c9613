package offline

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/anycl/anycl/internal/matrix"
	"github.com/anycl/anycl/ops/optest"
)

// excuse is why a kernel may spill in programs that a rule chooses, or not compile.
type excuse struct {
	target string // patterns of path.Match
	kernel string // for refusals the file, without its ending
	spill  int    // at most
	refuse bool
	why    string
}

// excuses are all there are. What is forced may spill without one: no rule chooses it for the class, so
// that it costs time in tests and in the tuner only.
var excuses = []excuse{
	{
		target: "amd-gfx11*", kernel: "contract_tile", refuse: true,
		why: "GFX11 has no v_dot4 of signed bytes, and its compiler no builtin for it: the probe finds so, and products of bytes are summed without",
	},
	{
		target: "amd-*", kernel: "map_item", spill: 8,
		why: "one program of many operands spills scalar registers, to lanes of a vector register and not to memory",
	},
	{
		target: "intel-*", kernel: "contract_tile", refuse: true, spill: 1024,
		why: "IGC of 2022 lacks dot_4x8packed, which the probe finds; and products of 64-bit integers, which are computed in steps, spill",
	},
	{
		target: "intel-*", kernel: "contract_subgroup", spill: 4096,
		why: "IGC of 2022 spills tiles of 16 and 24 rows, which IGC 2.40 keeps in registers in every layout (make offline), and sums of 64-bit integers",
	},
	{
		target: "intel-*", kernel: "attention_tile_dkv", spill: 1024,
		why: "one program with 16 features spills with IGC of 2022",
	},
}

// excused finds the excuse of a row.
func excused(target string, w *Row) *excuse {
	for i := range excuses {
		x := &excuses[i]
		t, _ := path.Match(x.target, target)
		k, _ := path.Match(x.kernel, w.Kernel)
		if t && k && (w.Refused == 0 || x.refuse) && w.Spill <= x.spill {
			return x
		}
	}
	return nil
}

// Checks judges a report: every program compiles, and none that a rule chooses spills, but for what
// is excused.
func (r *Report) Checks() []matrix.Check {
	var all []matrix.Check
	for _, w := range r.Rows() {
		c := matrix.Check{Name: r.Target + " " + w.Kernel + map[bool]string{false: " (forced)"}[w.Chosen], State: optest.Passed, Why: w.String()}
		if w.Refused > 0 || w.Chosen && w.Spill > 0 {
			if x := excused(r.Target, w); x != nil {
				c.Why += "; excused: " + x.why
			} else {
				c.State = optest.Failed
			}
		}
		all = append(all, c)
	}
	return all
}

// String is a row in one line.
func (w *Row) String() string {
	s := fmt.Sprintf("%d programs", w.Programs)
	if w.Registers[2] > 0 {
		s += fmt.Sprintf(", %d to %d registers", w.Registers[0], w.Registers[2])
	}
	if w.Spilling > 0 {
		s += fmt.Sprintf(", %d spill up to %d", w.Spilling, w.Spill)
	}
	if w.Refused > 0 {
		s += fmt.Sprintf(", %d refused: %s", w.Refused, strings.TrimSpace(firstLines(w.refusedLog, 2)))
	}
	return s
}

// WriteChecks adds the verdicts to a file, a line each.
func WriteChecks(file string, checks []matrix.Check) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, c := range checks {
		if err := json.NewEncoder(f).Encode(c); err != nil {
			return err
		}
	}
	return f.Close()
}
