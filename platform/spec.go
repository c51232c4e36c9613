package platform

import (
	"slices"
	"strconv"
	"strings"
)

// query is a parsed device spec.
type query struct {
	text  string // lower case, trimmed
	name  string // text without the number
	index int    // the number after the last colon, -1 without one
}

func parseSpec(spec string) query {
	q := query{text: strings.ToLower(strings.TrimSpace(spec)), index: -1}
	q.name = q.text
	if i := strings.LastIndexByte(q.text, ':'); i > 0 {
		if n, err := strconv.Atoi(q.text[i+1:]); err == nil && n >= 0 {
			q.name, q.index = q.text[:i], n
		}
	}
	return q
}

// find returns the device that q names among ranked devices, nil for none. The
// first reading that names any device counts, in this order: an ID, a class, a
// vendor key, a part of the device's or the platform's name. Of several devices
// the best ranked is taken, or with a number that one of them: by rank in a
// class, by enumeration otherwise, as IDs are numbered.
func (q query) find(ranked []*Device) *Device {
	pick := func(among []*Device, byRank bool) *Device {
		if !byRank && q.index >= 0 {
			among = slices.Clone(among)
			slices.SortFunc(among, func(a, b *Device) int { return a.order - b.order })
		}
		i := max(q.index, 0)
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
	if i := slices.IndexFunc(ranked, func(d *Device) bool { return d.ID == q.text }); i >= 0 {
		return ranked[i]
	}
	for c, name := range classNames {
		if strings.EqualFold(q.name, name) {
			return pick(match(func(d *Device) bool { return d.Class == Class(c) }), true)
		}
	}
	if among := match(func(d *Device) bool { return d.Key == q.name }); len(among) > 0 {
		return pick(among, false)
	}
	named := func(part string) []*Device {
		return match(func(d *Device) bool {
			return strings.Contains(strings.ToLower(d.Name), part) || strings.Contains(strings.ToLower(d.PlatformName), part)
		})
	}
	// A name may itself hold a colon and a number.
	if among := named(q.text); len(among) > 0 {
		q.index = -1
		return pick(among, false)
	}
	return pick(named(q.name), false)
}
