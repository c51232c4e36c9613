package kernels

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A special function stands before the compiler once for float and once for double, and calls elementary functions of that type.
func TestSpecialFunctionsCallWhatThereIsInBothTypes(t *testing.T) {
	call := regexp.MustCompile(`\bM\((\w+)\)`)
	for _, name := range allFiles(t) {
		if !strings.HasPrefix(name, "lib/special_") {
			continue
		}
		for _, m := range call.FindAllStringSubmatch(Text(name), -1) {
			require.Regexp(t, `(?:float|define) wide_`+m[1]+`\(`, Text("lib/math.cl"), name)
			require.Regexp(t, `(?:double|define) double_`+m[1]+`\(`, Text("lib/math_double.cl"), name)
		}
	}
}
