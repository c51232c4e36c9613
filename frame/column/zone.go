package column

import (
	"fmt"
	"sync"
	"time"
)

// zones are those that were loaded, by name: a zone is asked for with each value, and loading one reads a file.
var zones struct {
	sync.RWMutex
	loaded map[string]*time.Location
}

// maxZones bounds zones, as a file may have any spelling of a name. It is more than there are names in the database.
const maxZones = 1024

// Location returns the zone of a timestamp, UTC for one without. A zone is loaded once.
func (t Type) Location() (*time.Location, error) {
	if t.Zone == "" || t.Zone == "UTC" {
		return time.UTC, nil
	}
	zones.RLock()
	loc := zones.loaded[t.Zone]
	zones.RUnlock()
	if loc != nil {
		return loc, nil
	}
	loc, err := loadZone(t.Zone)
	if err != nil {
		return nil, err
	}
	zones.Lock()
	defer zones.Unlock()
	if len(zones.loaded) >= maxZones {
		clear(zones.loaded)
	}
	if zones.loaded == nil {
		zones.loaded = map[string]*time.Location{}
	}
	zones.loaded[t.Zone] = loc
	return loc, nil
}

// loadZone makes the zone of an offset, and loads that of a name.
func loadZone(name string) (*time.Location, error) {
	if z, err := time.Parse("-07:00", name); err == nil {
		_, seconds := z.Zone()
		return time.FixedZone(name, seconds), nil
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("column: time zone: %w", err)
	}
	return loc, nil
}
