package report

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/anycl/anycl/tools/internal/bench"
)

// Note explains why works miss a goal, and which remedies were tried. A note is written by hand; it
// is shown for as long as a goal is missed. Of several that match a work the first counts.
type Note struct {
	Device  string `json:"device"`            // the vendor's key: "pocl"
	Machine string `json:"machine,omitempty"` // its processor begins so: "AMD"; any where it is empty
	Work    string `json:"work"`              // regular expression, of the whole name
	Text    string `json:"text"`

	works *regexp.Regexp
}

// ReadNotes reads a file of notes: a JSON array. A missing file has none.
func ReadNotes(path string) ([]Note, error) {
	b, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var notes []Note
	if err := json.Unmarshal(b, &notes); err != nil {
		return nil, fmt.Errorf("report: %s: %w", path, err)
	}
	for i := range notes {
		n := &notes[i]
		if n.works, err = regexp.Compile("^(?:" + n.Work + ")$"); err != nil || n.Text == "" {
			return nil, fmt.Errorf("report: %s: note %d, of %q: no text, or %v", path, i+1, n.Work, err)
		}
	}
	return notes, nil
}

// missed reports whether a goal of the record was measured and is not met.
func missed(r *bench.Record) bool {
	share, _, _, _, ok := r.Standing()
	return ok && share < 1
}

// noteOf is the first note that a record's work matches, nil for none.
func (m *machine) noteOf(r *bench.Record) *Note {
	i := slices.IndexFunc(m.notes, func(n Note) bool {
		return n.Device == m.key && strings.HasPrefix(r.Context.Processor(), n.Machine) && n.works.MatchString(r.Work)
	})
	if i < 0 {
		return nil
	}
	return &m.notes[i]
}

// remarks writes the notes on the goals that a section misses.
func (m *machine) remarks(out io.Writer, records []*bench.Record) {
	works := map[*Note][]string{}
	var order []*Note
	for _, r := range records {
		n := m.noteOf(r)
		if n == nil || !missed(r) {
			continue
		}
		if works[n] == nil {
			order = append(order, n)
		}
		works[n] = append(works[n], r.Work)
	}
	for _, n := range order {
		fmt.Fprintf(out, "\n- *%s*: %s\n", strings.Join(works[n], ", "), n.Text)
	}
}

// Unexplained are the works that miss a goal and have no note.
func Unexplained(records []bench.Record, notes []Note) []string {
	var out []string
	for _, m := range machines(records) {
		m.notes = notes
		for _, r := range m.records {
			if missed(r) && m.noteOf(r) == nil {
				out = append(out, m.file+": "+r.Work)
			}
		}
	}
	return out
}
