// Package quirks reads ANYCL_QUIRKS, which switches workarounds for drivers on and off. The quirks
// are listed in the table of package platform; this package is for packages below it, which must
// know the switches before any device is known.
package quirks

import (
	"fmt"
	"os"
	"strings"
)

// Variable is the environment variable: names with a sign, as "+no-fp64,-restore-signals".
const Variable = "ANYCL_QUIRKS"

// RestoreSignals is the quirk of drivers that replace the process's signal handlers.
const RestoreSignals = "restore-signals"

// Parse reads the variable's text: which names are switched, and whether on. Errors: a part
// has no sign or no name, or a name is switched both ways.
func Parse(text string) (map[string]bool, error) {
	switches := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		name, on := part[1:], part[0] == '+'
		if !on && part[0] != '-' || name == "" {
			return nil, fmt.Errorf("%q is not a name with a sign, as +slow-fma or -slow-fma", part)
		}
		if was, seen := switches[name]; seen && was != on {
			return nil, fmt.Errorf("%q is switched on and off", name)
		}
		switches[name] = on
	}
	return switches, nil
}

// Off reports whether the environment switches a quirk off. Errors in the variable's text are
// reported by package platform, which knows all names.
func Off(name string) bool {
	switches, err := Parse(os.Getenv(Variable))
	on, seen := switches[name]
	return err == nil && seen && !on
}
