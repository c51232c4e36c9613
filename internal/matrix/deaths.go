package matrix

import (
	"fmt"
	"strings"
)

// knownDeath is how a driver is known to end a process at some kernels, with no fault of theirs. Of what a process
// had under way each is then done in a process and kernels of its own.
type knownDeath struct {
	version string // of the platform, a part of it
	says    string // what it says, a part of it
	see     string // where its developers do
}

// LLVM 18 checks of one of its passes that it has nothing left to do, where PoCL 6.0 asks for that pass by its name:
// seen with four kernels of many samples of int64, each a chain of conditions and remainders.
var knownDeaths = []knownDeath{
	{"PoCL 6.0", "Instruction Combining did not reach a fixpoint", "https://github.com/pocl/pocl/issues/1608"},
}

// knownMost is how often that may be.
const knownMost = 8

// judge tells the deaths of e from which all steps under way recovered: known ones are notes, others are an error.
func (e *Engine) judge(deaths []string) {
	known := 0
	for _, death := range deaths {
		see := e.knows(death)
		if known++; see == "" || known > knownMost {
			if e.Err == "" {
				e.Err = death
			}
			continue
		}
		e.Notes = append(e.Notes, fmt.Sprintf("the driver ended the process, as it is known to (%s): %s", see, death))
	}
}

// knows is where the developers of e's driver write of death; empty where that is news.
func (e *Engine) knows(death string) string {
	if e.Device == nil {
		return ""
	}
	for _, k := range knownDeaths {
		if strings.Contains(e.Device.PlatformVersion, k.version) && strings.Contains(death, k.says) {
			return k.see
		}
	}
	return ""
}
