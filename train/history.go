package train

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/anycl/anycl/internal/wholefile"
)

// Number is a float64 whose JSON may be "NaN", "+Inf" or "-Inf".
type Number float64

// MarshalJSON writes a number, or a text for NaN and infinities.
func (n Number) MarshalJSON() ([]byte, error) {
	v := float64(n)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return json.Marshal(strconv.FormatFloat(v, 'g', -1, 64))
	}
	return json.Marshal(v)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Number) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		v, err := strconv.ParseFloat(text, 64)
		*n = Number(v)
		return err
	}
	return json.Unmarshal(b, (*float64)(n))
}

// Record is one validation, or the end of an epoch.
type Record struct {
	Epoch     int               `json:"epoch"` // epochs ended
	Step      int               `json:"step"`  // steps made
	Loss      Number            `json:"loss"`  // the mean of training since the record before, over examples
	ValidLoss Number            `json:"valid_loss"`
	Metrics   map[string]Number `json:"metrics,omitempty"`
	Best      bool              `json:"best,omitempty"` // the best so far
	Seconds   float64           `json:"seconds"`        // of training since the record before, of this process and those before
	Examples  int               `json:"examples"`       // in that time
}

// History is the record of a training: its losses, validations and metrics.
type History struct {
	Records []Record
	// Losses are the means of the losses of Options.LogEvery steps each.
	Losses []Point
	// Steps and Epochs are how many there were.
	Steps, Epochs int
	// Best is the record that Options.Monitor liked best; nil without a validation.
	Best *Record
	// Stopped says that there was no improvement for Options.Patience validations.
	Stopped bool
}

// Point is the loss around a step.
type Point struct {
	Step int    `json:"step"`
	Loss Number `json:"loss"`
}

// WriteCSV writes a line for each record: epoch, step, loss, valid_loss, the metrics in the given order, seconds and examples_per_second.
func (h *History) WriteCSV(w io.Writer, metrics ...string) error {
	c := csv.NewWriter(w)
	header := append([]string{"epoch", "step", "loss", "valid_loss"}, metrics...)
	if err := c.Write(append(header, "seconds", "examples_per_second")); err != nil {
		return err
	}
	text := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, r := range h.Records {
		line := []string{strconv.Itoa(r.Epoch), strconv.Itoa(r.Step), text(float64(r.Loss)), text(float64(r.ValidLoss))}
		for _, m := range metrics {
			line = append(line, text(float64(r.Metrics[m])))
		}
		line = append(line, strconv.FormatFloat(r.Seconds, 'f', 3, 64), strconv.FormatFloat(r.rate(), 'f', 1, 64))
		if err := c.Write(line); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// rate is the examples in a second.
func (r *Record) rate() float64 {
	if r.Seconds <= 0 {
		return 0
	}
	return float64(r.Examples) / r.Seconds
}

// saveCSV replaces the file of a log.
func (h *History) saveCSV(path string, metrics []string) error {
	err := wholefile.Write(path, func(w io.Writer) error { return h.WriteCSV(w, metrics...) }, nil)
	if err != nil {
		return fmt.Errorf("train: log: %w", err)
	}
	return nil
}

// state is the state of a loop that a checkpoint keeps.
type state struct {
	Epoch    int      `json:"epoch"` // ended
	Step     int      `json:"step"`  // made
	Due      bool     `json:"due,omitempty"`
	EpochEnd bool     `json:"epoch_end,omitempty"`
	Stopped  bool     `json:"stopped,omitempty"`
	Sum      Number   `json:"sum"` // of the losses since the last record, times examples
	Count    int      `json:"count"`
	Seconds  float64  `json:"seconds"`
	LogSum   Number   `json:"log_sum"`
	LogCount int      `json:"log_count"`
	Best     int      `json:"best"` // number of the best record; -1: none
	Bad      int      `json:"bad"`  // validations since
	Records  []Record `json:"records"`
	Losses   []Point  `json:"losses"`
	done     bool
	since    time.Time // Seconds were counted up
}

// clock counts up the time of training.
func (s *state) clock() {
	now := time.Now()
	if !s.since.IsZero() {
		s.Seconds += now.Sub(s.since).Seconds()
	}
	s.since = now
}

// history is the state as a History for the caller.
func (s *state) history() *History {
	h := &History{Records: s.Records, Losses: s.Losses, Steps: s.Step, Epochs: s.Epoch, Stopped: s.Stopped}
	if s.Best >= 0 {
		h.Best = &h.Records[s.Best]
	}
	return h
}
