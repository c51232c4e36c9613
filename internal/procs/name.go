package procs

import (
	"bufio"
	"bytes"
	"os"
	"strings"
)

// Name tells processors of machines that share a folder apart, on Linux and Windows.
func Name() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return os.Getenv("PROCESSOR_IDENTIFIER") // of Windows
	}
	var name []string
	for s := bufio.NewScanner(bytes.NewReader(b)); s.Scan() && s.Text() != ""; { // the first processor
		field, value, _ := strings.Cut(s.Text(), ":")
		switch strings.TrimSpace(field) {
		case "model name", "cpu family", "model", "CPU implementer", "CPU part":
			name = append(name, strings.TrimSpace(value))
		}
	}
	return strings.Join(name, ",")
}
