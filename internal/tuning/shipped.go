package tuning

import (
	"embed"
	"io/fs"
	"regexp"
	"sync"
)

// Tables that come with the package, one for each class of device that was measured: the output of
// `anycl tune -export`, with a match.
//
//go:embed shipped/*.json
var shipped embed.FS

// Device holds the properties of a device that shipped tables are matched by.
type Device struct {
	Key    string // of the vendor: "pocl"
	Name   string
	Driver string // and platform version
	Lanes  int    // of a float vector
	Units  int
}

// Match says for which devices a shipped table is: all that is set must agree.
type Match struct {
	Key      string `json:"key"`
	Name     string `json:"name,omitempty"`   // regular expression
	Driver   string `json:"driver,omitempty"` // regular expression
	Lanes    int    `json:"lanes,omitempty"`
	MaxUnits int    `json:"max_units,omitempty"`
}

func (m *Match) takes(d Device) bool {
	fits := func(pattern, text string) bool {
		ok, err := regexp.MatchString(pattern, text)
		return err == nil && ok
	}
	return m != nil && m.Key == d.Key && fits(m.Name, d.Name) && fits(m.Driver, d.Driver) &&
		(m.Lanes == 0 || m.Lanes == d.Lanes) && (m.MaxUnits == 0 || d.Units <= m.MaxUnits)
}

var shippedFiles = sync.OnceValues(func() (files []*File, err error) {
	names, err := fs.Glob(shipped, "shipped/*.json")
	for _, name := range names {
		b, err := shipped.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f, _, err := Parse(b)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, err
})

// Shipped is the table that comes with the package for a device: empty for one of
// a class that was not measured.
func Shipped(d Device) *Table {
	files, err := shippedFiles()
	if err != nil {
		return nil
	}
	t := Of()
	for _, f := range files {
		if f.Match.takes(d) {
			t = t.With(Of(f.Entries...))
		}
	}
	return t
}
