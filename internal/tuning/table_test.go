package tuning

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/kernels"
)

func entry(task string, gain float64) Entry {
	return Entry{Family: "contract", Task: task, Variant: "panel", Params: kernels.Params{"rows": 8}, Gain: gain}
}

func TestATableComesBackAsItWasWritten(t *testing.T) {
	t.Parallel()
	table := Of(entry("b", 1.5), entry("a", 1.25))
	b, err := table.Marshal("a device", "1.0")
	require.NoError(t, err)
	f, again, err := Parse(b)
	require.NoError(t, err)
	require.Equal(t, "a device", f.Device)
	require.Equal(t, table.Entries(), again.Entries())
	require.Equal(t, "a", again.Entries()[0].Task)
}

func TestLaterTablesLieOverEarlierOnes(t *testing.T) {
	t.Parallel()
	var none *Table
	all := none.With(Of(entry("a", 1.5), entry("b", 2)), nil, Of(entry("a", 3)))
	require.Equal(t, 2, all.Len())
	e, ok := all.Find("contract", "a")
	require.True(t, ok)
	require.Equal(t, 3.0, e.Gain)
	_, ok = none.Find("contract", "a")
	require.False(t, ok)
}

func TestAnEntryThatCannotBeReadIsLeftOut(t *testing.T) {
	t.Parallel()
	_, table, err := Parse([]byte(`{"version": 1, "entries": [
		{"family": "contract", "task": "a", "variant": "panel", "gain": 1.5, "params": {"rows": 8}},
		{"family": "contract", "task": "b", "variant": "panel", "gain": 1.5, "params": {"rows": 8.5}},
		{"family": "contract", "task": "c", "variant": "panel", "gain": 1.5, "params": {"rows": "8"}},
		{"family": "contract", "task": "d", "variant": "panel", "gain": -1},
		{"family": "contract", "task": "e", "gain": 2},
		17, null
	]}`))
	require.NoError(t, err)
	require.Equal(t, 1, table.Len())
}

func TestAnotherVersionIsNotRead(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", "[]", "null", `{"version": 2}`, `{"entries": []}`, `{"version": "1"}`} {
		_, _, err := Parse([]byte(text))
		require.Error(t, err, text)
	}
}

func TestInsaneGainsAreNotEntries(t *testing.T) {
	t.Parallel()
	for _, gain := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		require.Zero(t, Of(entry("a", gain)).Len())
	}
}

// The shipped tables are valid: every entry names a variant, and values that its space has.
func TestShippedTablesLieInTheirSpaces(t *testing.T) {
	t.Parallel()
	files, err := shippedFiles()
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		require.NotNil(t, f.Match)
		require.NotEmpty(t, f.Match.Key, "a table for every vendor is none that was measured")
		for _, e := range f.Entries {
			if len(e.Params) == 0 {
				continue
			}
			s := kernels.SpaceOf(e.Family, e.Variant)
			require.NotNil(t, s, "%s %s", e.Family, e.Variant)
			names := map[string]bool{}
			for _, p := range s.Params {
				names[p.Name] = true
			}
			for name := range e.Params {
				require.True(t, names[name], "%s %s has no %s", e.Family, e.Variant, name)
			}
		}
	}
}

func TestShippedTablesAreForTheirDevicesOnly(t *testing.T) {
	t.Parallel()
	m := &Match{Key: "pocl", Name: "(?i)epyc", Driver: `^3\.`, Lanes: 16, MaxUnits: 8}
	d := Device{Key: "pocl", Name: "pthread-AMD EPYC", Driver: "3.1", Lanes: 16, Units: 2}
	require.True(t, m.takes(d))
	for name, other := range map[string]Device{
		"vendor": {Key: "amd", Name: d.Name, Driver: d.Driver, Lanes: 16, Units: 2},
		"name":   {Key: "pocl", Name: "Xeon", Driver: d.Driver, Lanes: 16, Units: 2},
		"driver": {Key: "pocl", Name: d.Name, Driver: "6.0", Lanes: 16, Units: 2},
		"lanes":  {Key: "pocl", Name: d.Name, Driver: d.Driver, Lanes: 8, Units: 2},
		"units":  {Key: "pocl", Name: d.Name, Driver: d.Driver, Lanes: 16, Units: 64},
	} {
		require.False(t, m.takes(other), name)
	}
	require.False(t, (&Match{Key: "pocl", Name: "("}).takes(d), "a pattern that is none")
	require.False(t, (*Match)(nil).takes(d))
}

func FuzzParse(f *testing.F) {
	b, err := json.Marshal(File{Version: 1, Entries: []Entry{entry("a", 2)}})
	require.NoError(f, err)
	f.Add(b)
	f.Add([]byte(`{"version":1,"entries":[{}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, table, err := Parse(b)
		if err != nil {
			return
		}
		for _, e := range table.Entries() {
			require.NotEmpty(t, e.Variant)
			require.NotEmpty(t, e.Why())
		}
	})
}
