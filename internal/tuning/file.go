package tuning

import (
	"encoding/json"
	"fmt"
)

// version is the version of the file format. A file of another version is not read.
const version = 1

// File is a table as it is written, with the device that it was measured on.
type File struct {
	Version int     `json:"version"`
	Device  string  `json:"device"` // its name
	Driver  string  `json:"driver"`
	Match   *Match  `json:"match,omitempty"` // of a table that comes with the package
	Entries []Entry `json:"entries"`
}

// Marshal writes t as a file.
func (t *Table) Marshal(device, driver string) ([]byte, error) {
	b, err := json.MarshalIndent(File{Version: version, Device: device, Driver: driver, Entries: t.Entries()}, "", "\t")
	return append(b, '\n'), err
}

// Parse reads a file. An entry that cannot be read is left out. Errors: not such
// a file, or of another version.
func Parse(b []byte) (*File, *Table, error) {
	var raw struct {
		File
		Entries []json.RawMessage `json:"entries"`
	}
	if err := json.Unmarshal(b, &raw); err != nil {
		return nil, nil, fmt.Errorf("tuning: %w", err)
	}
	if raw.Version != version {
		return nil, nil, fmt.Errorf("tuning: version %d, not %d", raw.Version, version)
	}
	f := raw.File
	for _, r := range raw.Entries {
		var e Entry
		if json.Unmarshal(r, &e) == nil && e.valid() {
			f.Entries = append(f.Entries, e)
		}
	}
	return &f, Of(f.Entries...), nil
}
