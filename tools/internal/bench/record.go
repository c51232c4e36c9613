package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// Record is one figure with all of its context: a line of JSON.
type Record struct {
	Work      string  `json:"work"`
	About     string  `json:"about,omitempty"`
	Section   string  `json:"section,omitempty"`
	Contender string  `json:"contender"`
	Version   string  `json:"version,omitempty"`
	Ours      bool    `json:"ours,omitempty"` // the ratios are those of this record
	Flops     float64 `json:"flops,omitempty"`
	Bytes     float64 `json:"bytes,omitempty"`
	Rate      Rate    `json:"rate"`  // the unit of Speed
	Speed     float64 `json:"speed"` // by the median
	Stats
	// Device is how long the device worked in one run by its own clock, in seconds.
	Device float64 `json:"device,omitempty"`
	// Predicted is the time that the cost model gave a run, in seconds, and Placed how many
	// tasks it put where.
	Predicted float64 `json:"predicted,omitempty"`
	// Of a sweep: Foretold is the prediction before any work of it had run, and Learned the one after this work has.
	Foretold float64 `json:"foretold,omitempty"`
	Learned  float64 `json:"learned,omitempty"`
	Placed   string  `json:"placed,omitempty"`
	Clients  int     `json:"clients,omitempty"` // that asked at the same time
	Steady   *Stats  `json:"steady,omitempty"`
	// Ratios are, in the record of ours, how many times as fast it was as each of
	// the others in the same turns.
	Ratios map[string]Ratio `json:"ratios,omitempty"`
	// Versions are those of the others.
	Versions map[string]string `json:"versions,omitempty"`
	Goals    []Goal            `json:"goals,omitempty"`
	Checked  bool              `json:"checked"` // the result agrees with another contender's
	Error    float64           `json:"error"`   // how far it was off, relative to the largest element
	Context  Context           `json:"context"`
}

// Records makes the records of a work. The first result is ours.
func Records(w *Work, results []*Result, c Context) []Record {
	var out []Record
	for i, r := range results {
		if r.Skipped != nil {
			continue
		}
		rec := Record{
			Work: w.Name, About: w.About, Section: w.Section, Contender: r.Contender, Version: r.Version, Ours: i == 0, Flops: w.Flops,
			Bytes: w.Bytes,
			Rate:  w.Rate, Speed: w.Of(r.Stats.Median), Stats: r.Stats, Steady: r.Steady, Device: r.Device, Predicted: r.Predicted,
			Placed: r.Placed, Clients: w.Clients, Checked: r.Checked, Error: r.Error, Context: c,
		}
		if rec.Ours {
			rec.Goals = w.goals(c.GPU)
			rec.Ratios, rec.Versions = map[string]Ratio{}, map[string]string{}
			for _, other := range results[1:] {
				if other.Skipped == nil {
					rec.Ratios[other.Contender] = Paired(r.Stats.Turns, other.Stats.Turns)
					rec.Versions[other.Contender] = other.Version
				}
			}
		}
		out = append(out, rec)
	}
	return out
}

// Best is the smallest ratio to those that a goal names, and to whom. ok is false
// when none of them was there.
func (r *Record) Best(g Goal) (ratio Ratio, against string, ok bool) {
	for _, name := range g.Against {
		if x, has := r.Ratios[name]; has && (!ok || x.Median < ratio.Median) {
			ratio, against, ok = x, name, true
		}
	}
	return ratio, against, ok
}

// Standing is the ratio of a goal over the demanded one, of the goal that is furthest from being
// met: 1 is just met. ok is false when no goal was measured.
func (r *Record) Standing() (share float64, ratio Ratio, goal Goal, against string, ok bool) {
	for _, g := range r.Goals {
		x, name, has := r.Best(g)
		if has && (!ok || x.Median/g.AtLeast < share) {
			share, ratio, goal, against, ok = x.Median/g.AtLeast, x, g, name, true
		}
	}
	return share, ratio, goal, against, ok
}

// Write appends a record as one line.
func (r *Record) Write(w io.Writer) error {
	return json.NewEncoder(w).Encode(r)
}

// ReadFile reads a file of records.
func ReadFile(path string) ([]Record, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, path)
}

// Read reads records; name appears in errors.
func Read(r io.Reader, name string) ([]Record, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	var out []Record
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var rec Record
		if err := json.Unmarshal(lines.Bytes(), &rec); err != nil {
			return nil, fmt.Errorf("bench: %s:%d: %w", name, n, err)
		}
		if rec.Work == "" || rec.Contender == "" {
			return nil, fmt.Errorf("bench: %s:%d: no record of a measurement", name, n)
		}
		out = append(out, rec)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("bench: %s: %w", name, err)
	}
	return out, nil
}
