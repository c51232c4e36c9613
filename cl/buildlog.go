package cl

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// BuildError is a program that did not build.
type BuildError struct {
	Device  string // name and driver version
	Options string
	Log     string // the compiler's whole output
	// File and Line are where the log puts its first error, empty and 0 where it
	// names no place. File is as the compiler saw it: a temporary name, unless
	// the source has #line directives. Lines count from 1.
	File string
	Line int
	// Column is where in the line, in bytes from 1, 0 where the log does not tell.
	Column int
	Err    error
}

// Error returns the device and the first error of the log.
func (e *BuildError) Error() string {
	s := "cl: build for " + e.Device
	if e.Line > 0 {
		s += ": " + e.File + ":" + strconv.Itoa(e.Line)
	}
	return s + ": " + e.First()
}

// First is the first error of the log without its place, or the name of the status where there is none.
func (e *BuildError) First() string {
	if first := firstError(e.Log); first != "" {
		return first
	}
	return statusOf(e.Err).describe()
}

// Unwrap returns the call's own error, a Status as BuildProgramFailure inside.
func (e *BuildError) Unwrap() error { return e.Err }

// buildError finds the device whose log has the error.
func (p *Program) buildError(err error, options string, devices []*Device) error {
	be := &BuildError{Options: options, Err: err}
	for _, d := range devices {
		be.Device = d.Info().Name + " (driver " + d.Info().DriverVersion + ")"
		be.Log, _ = p.Log(d)
		if firstError(be.Log) != "" {
			break
		}
	}
	be.File, be.Line, be.Column = firstPlace(be.Log)
	return be
}

// logForms are the forms in which compilers report errors, the last with no place.
// Those derived from clang, which most are, write "file:line:column: error: text";
// NVIDIA's the same with "<kernel>" as the file; PoCL "error: file:line:column:
// text"; AMD's old one "file, line 3: error: text".
var logForms = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`^\s*(.*?):(\d+):(\d+):\s+(?:fatal )?error:\s*(.*)$`),
		regexp.MustCompile(`^\s*(?:fatal )?error:\s*(.*?):(\d+):(\d+)(?: <\w+=.*?:\d+:\d+>)?:\s*(.*)$`),
		regexp.MustCompile(`^\s*"?([^"]*)"?, line (\d+):\s+(?:fatal )?error:\s*(.*)$`),
		regexp.MustCompile(`(?i)^\s*(?:fatal )?error(?:\(s\))?:?\s*(.*)$`),
	}
})

func firstPlace(log string) (file string, line, column int) {
	for line := range strings.Lines(log) {
		line = strings.TrimRight(line, "\r\n")
		for _, re := range logForms()[:3] {
			if m := re.FindStringSubmatch(line); m != nil {
				line, _ := strconv.Atoi(m[2])
				if len(m) == 5 {
					column, _ = strconv.Atoi(m[3])
				}
				return m[1], line, column
			}
		}
	}
	return "", 0, 0
}

// firstError is the text of the first error. A line that ends in a colon, as PoCL's "Error(s) while linking:", goes on in the next one.
func firstError(log string) string {
	lines := strings.Split(log, "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, "\r")
		for _, re := range logForms() {
			if m := re.FindStringSubmatch(line); m != nil {
				text := strings.TrimSpace(m[len(m)-1])
				if strings.HasSuffix(text, ":") && i+1 < len(lines) {
					text += " " + strings.TrimSpace(lines[i+1])
				}
				return text
			}
		}
	}
	return ""
}
