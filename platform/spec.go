package platform

import (
	"slices"
	"strings"

	"github.com/anycl/anycl/platform/internal/grammar"
)

// findDevice returns the device that q names among ranked devices, nil for none. The
// first reading that names any device counts, in this order: an ID, a class, a
// vendor key, a part of the device's or the platform's name. Of several devices
// the best ranked is taken, or with a number that one of them: by rank in a
// class, by enumeration otherwise, as IDs are numbered.
func findDevice(q grammar.Query, ranked []*Device) *Device {
	pick := func(among []*Device, byRank bool) *Device {
		if !byRank && q.Index >= 0 {
			among = slices.Clone(among)
			slices.SortFunc(among, func(a, b *Device) int { return a.order - b.order })
		}
		i := max(q.Index, 0)
		if i >= len(among) {
			return nil
		}
		return among[i]
	}
	match := func(f func(*Device) bool) []*Device {
		var out []*Device
		for _, d := range ranked {
			if f(d) {
				out = append(out, d)
			}
		}
		return out
	}
	if i := slices.IndexFunc(ranked, func(d *Device) bool { return d.ID == q.Text }); i >= 0 {
		return ranked[i]
	}
	for c, name := range classNames {
		if strings.EqualFold(q.Name, name) {
			return pick(match(func(d *Device) bool { return d.Class == Class(c) }), true)
		}
	}
	if among := match(func(d *Device) bool { return d.Key == q.Name }); len(among) > 0 {
		return pick(among, false)
	}
	named := func(part string) []*Device {
		return match(func(d *Device) bool {
			return strings.Contains(strings.ToLower(d.Name), part) || strings.Contains(strings.ToLower(d.PlatformName), part)
		})
	}
	// A name may itself hold a colon and a number.
	if among := named(q.Text); len(among) > 0 {
		q.Index = -1
		return pick(among, false)
	}
	return pick(named(q.Name), false)
}
