package matrix

import (
	"fmt"
	"strings"
)

// knownDeath is how a driver is known to end a process at some kernels, with no fault of theirs. Each of the steps
// that a process had under way is then done in a process and kernels of its own.
type knownDeath struct {
	version string // of the platform, a part of it
	says    string // a part of its output
	see     string // where its developers do
}

// LLVM 18 checks of one of its passes that it has nothing left to do, where PoCL 6.0 asks for that pass by its name:
// seen with a kernel of many samples of int64, a chain of conditions and remainders, which every process begins with
// until all its samples have passed in kernels of their own.
var knownDeaths = []knownDeath{
	{"PoCL 6.0", "Instruction Combining did not reach a fixpoint", "https://github.com/pocl/pocl/issues/1608"},
}

// judge tells the deaths of e from which all steps under way recovered: known ones are a note, others are an error.
func (e *Engine) judge(deaths []string) {
	var known []string
	see := ""
	for _, death := range deaths {
		switch where := e.knows(death); {
		case where != "":
			known, see = append(known, death), where
		case e.Err == "":
			e.Err = death
		}
	}
	if len(known) > 0 {
		e.Notes = append(e.Notes, fmt.Sprintf("the driver ended %d processes, as it is known to (%s); the first: %s", len(known), see, known[0]))
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
