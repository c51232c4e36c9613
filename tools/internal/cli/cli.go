// Package cli holds the code that the commands of this module share.
package cli

// LongFlags lets flags of more than one letter be written with one dash, as
// elsewhere in Go.
func LongFlags(args []string) []string {
	out := make([]string, len(args))
	rest := false
	for i, a := range args {
		rest = rest || a == "--"
		if !rest && len(a) > 2 && a[0] == '-' && a[1] != '-' {
			a = "-" + a
		}
		out[i] = a
	}
	return out
}
