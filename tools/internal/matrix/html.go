package matrix

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/anycl/anycl/internal/units"
	"github.com/anycl/anycl/ops/optest"
)

//go:embed page.html
var pageText string

//go:embed style.css
var styleText string

func style() template.CSS { return template.CSS(styleText) }

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"ulps": ulps, "percent": percent, "took": took, "bytes": units.Bytes, "join": strings.Join,
	"short": shortTypes.Replace, "tile": newTile, "speech": speech, "shown": shown, "dtypes": func(r *Report) []string { return r.dtypes() },
	"rows":    func(e *Engine) []*opRow { return e.rows() },
	"cells":   func(r *opRow) []*Part { return r.ordered() },
	"alone":   func(e *Engine, p *Part) string { return e.alone(*p) },
	"lacks":   func(r *Report) bool { return r.lacksDevices() },
	"verdict": func(r *Report) string { return r.verdict() },
	"sum":     func(a, b int) int { return a + b },
	"style":   style,
}).Parse(pageText))

// WriteHTML writes r as a page that needs nothing else: no script, no font, no picture.
func (r *Report) WriteHTML(w io.Writer) error { return page.Execute(w, r) }

// tile is one square of the picture.
type tile struct {
	State optest.State // "" where the op does not take the dtype
	Text  string
}

func newTile(p *Part) tile {
	if p == nil {
		return tile{}
	}
	t := tile{State: p.State()}
	switch t.State {
	case optest.Passed:
		t.Text = p.worst()
	case optest.Failed:
		t.Text = "✗"
	case optest.Absent:
		t.Text = "–"
	}
	return t
}

// shortTypes are names that fit above a square: f32, bf16, u8.
var shortTypes = strings.NewReplacer("bfloat", "bf", "float", "f", "uint", "u", "int", "i")

// speech is a row for those who hear the page.
func speech(r *opRow) string {
	switch s := r.State(); s {
	case optest.Passed:
		if r.Absent > 0 {
			return "passes where the device has the type"
		}
		return "passes"
	default:
		return string(s)
	}
}

// verdict is the report in one sentence.
func (r *Report) verdict() string {
	var samples, graphs Tally
	broken := 0
	for _, e := range r.Engines {
		samples.add(e.Total())
		graphs.add(e.GraphTotal())
		if e.Err != "" {
			broken++
		}
	}
	var wrong []string
	for _, w := range []struct {
		n         int
		one, many string
	}{
		{samples.Failed, "sample fails", "samples fail"}, {graphs.Failed, "random graph fails", "random graphs fail"},
		{broken, "engine cannot be used", "engines cannot be used"},
	} {
		if w.n > 0 {
			wrong = append(wrong, shown(w.n, w.one, w.many))
		}
	}
	if wrong != nil {
		return strings.Join(wrong, ", ") + "; " + shown(samples.Passed, "sample passes", "samples pass") + "."
	}
	text := "Every sample that an engine can run agrees with the reference: " + shown(samples.Passed, "sample", "samples")
	if graphs.Passed > 0 {
		text += " and " + shown(graphs.Passed, "random graph", "random graphs")
	}
	return text + " on " + shown(len(r.Engines), "engine", "engines") + "."
}

// shown is a figure with its name in the right number.
func shown(n int, one, many string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", one)
	}
	return fmt.Sprintf("%s %s", thousands(n), many)
}

// thousands writes n with a comma at every third digit.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
