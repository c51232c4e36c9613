package export

// Random numbers are drawn by a generator that counts its runs, which no operator is.
var _ = drawn("uniform", "normal", "random_bits")

func drawn(names ...string) bool {
	for _, name := range names {
		define(name, func(c *call) []string {
			return c.refused("it draws at random, and RandomUniform, RandomNormal and Bernoulli of ONNX give other numbers in every program: feed the numbers as an input")
		})
	}
	return true
}
