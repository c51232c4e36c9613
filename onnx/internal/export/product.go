package export

import (
	"slices"
	"strings"

	"github.com/anycl/anycl/internal/ir"
)

var (
	_ = define("matmul", direct("MatMul"))
	_ = define("einsum", func(c *call) []string {
		equation := strings.ReplaceAll(c.str("equation"), " ", "")
		if !strings.Contains(equation, "->") {
			equation += "->" + implied(equation)
		}
		if s := signatures()["Einsum"]; repeated(equation) || !s.takes(c.dtype(), c.opset()) && !s.wider(c.dtype(), c.opset()).Valid() {
			return nil
		}
		return c.do("Einsum", c.args(), text("equation", equation))
	})
	_ = define("contract", func(c *call) []string {
		a := c.n.Attr().(ir.ContractAttr)
		equation, ok := equationOf(a, c.in[0].Rank(), c.in[1].Rank())
		if !ok {
			return c.refused("it has more axes than an equation has letters")
		}
		return c.do("Einsum", c.args(), text("equation", equation))
	})
	_ = define("linalg.det", direct("Det"))
)

// implied returns the letters of the result of an equation that does not name them: the letters that occur once, sorted.
func implied(equation string) string {
	var once []byte
	for _, b := range []byte(equation) {
		if strings.IndexByte(letters, b) >= 0 && strings.Count(equation, string(b)) == 1 {
			once = append(once, b)
		}
	}
	slices.Sort(once)
	if strings.Contains(equation, "...") {
		return "..." + string(once)
	}
	return string(once)
}

// repeated reports an operand that has a letter twice, which not all runtimes take.
func repeated(equation string) bool {
	in, _, _ := strings.Cut(equation, "->")
	for _, operand := range strings.Split(in, ",") {
		for _, b := range []byte(operand) {
			if b != '.' && strings.Count(operand, string(b)) > 1 {
				return true
			}
		}
	}
	return false
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// equationOf is a contraction as an equation of Einsum.
func equationOf(a ir.ContractAttr, ranks ...int) (string, bool) {
	left, right, next := make([]byte, ranks[0]), make([]byte, ranks[1]), 0
	var out []byte
	if ranks[0]+ranks[1] > len(letters) {
		return "", false
	}
	name := func(result bool, at ...*byte) {
		for _, p := range at {
			*p = letters[next]
		}
		if result {
			out = append(out, letters[next])
		}
		next++
	}
	for i := range a.ABatch {
		name(true, &left[a.ABatch[i]], &right[a.BBatch[i]])
	}
	for _, m := range a.AM {
		name(true, &left[m])
	}
	for _, n := range a.BN {
		name(true, &right[n])
	}
	for i := range a.AK {
		name(false, &left[a.AK[i]], &right[a.BK[i]])
	}
	return string(left) + "," + string(right) + "->" + string(out), !slices.Contains(append(left, right...), 0)
}
