package opinfo

import "github.com/anycl/anycl/ops"

// special are special functions: torch.special and the part of it that is in torch.
func special() []*Row {
	both := func(name, function, op string) []*Row {
		return []*Row{one(name, function, op), one("special."+name, function, op)}
	}
	polynomial := func(torch, function, op string) *Row {
		return &Row{Torch: "special." + torch, Signature: "input n", Go: qualified(function, op) + "(x, n)", Build: func(c *Call) []*ops.Node {
			x, n := c.pair("input", "n")
			return list(call(op, nil, x, n))
		}}
	}
	polygamma := &Row{Torch: "polygamma", Signature: "input n", Go: "special.Polygamma(n, x)", Build: func(c *Call) []*ops.Node {
		return list(call("special.polygamma", attrs{"n": c.int("n", 0)}, c.floating("input")))
	}}
	mvlgamma := &Row{Torch: "mvlgamma", Signature: "input p", Go: "special.MvLGamma(x, p)", Build: func(c *Call) []*ops.Node {
		return list(call("special.mvlgamma", attrs{"p": c.int("p", 1)}, c.floating("input")))
	}}
	rows := []*Row{
		one("i0", "I0", "special.i0"), one("special.i0e", "I0e", "special.i0e"), one("special.i1", "I1", "special.i1"),
		one("special.i1e", "I1e", "special.i1e"),
		one("special.bessel_j0", "BesselJ0", "special.bessel_j0"), one("special.bessel_j1", "BesselJ1", "special.bessel_j1"),
		one("special.bessel_y0", "BesselY0", "special.bessel_y0"), one("special.bessel_y1", "BesselY1", "special.bessel_y1"),
		one("special.modified_bessel_i0", "I0", "special.i0"), one("special.modified_bessel_i1", "I1", "special.i1"),
		one("special.modified_bessel_k0", "K0", "special.k0"), one("special.modified_bessel_k1", "K1", "special.k1"),
		one("special.scaled_modified_bessel_k0", "K0e", "special.k0e"), one("special.scaled_modified_bessel_k1", "K1e", "special.k1e"),
		one("special.spherical_bessel_j0", "SphericalJ0", "special.spherical_j0"),
		one("special.ndtr", "NDTR", "ndtr"), one("special.ndtri", "NDTRI", "ndtri"), one("special.log_ndtr", "LogNDTR", "log_ndtr"),
		one("special.airy_ai", "AiryAi", "special.airy_ai"),
		one("special.erfcx", "Erfcx", "erfcx"), one("special.entr", "Entr", "entr"),
		{Torch: "special.zeta", Signature: "input other", Go: "special.Zeta(s, q)", Build: func(c *Call) []*ops.Node {
			x, y := c.pair("input", "other")
			return list(call("special.zeta", nil, x, y))
		}},
		{Torch: "igamma", Signature: "input other", Go: "special.IGamma(a, x)", Build: func(c *Call) []*ops.Node {
			x, y := c.pair("input", "other")
			return list(call("special.igamma", nil, x, y))
		}},
		{Torch: "igammac", Signature: "input other", Go: "special.IGammaC(a, x)", Build: func(c *Call) []*ops.Node {
			x, y := c.pair("input", "other")
			return list(call("special.igammac", nil, x, y))
		}},
		polygamma, also("polygamma.polygamma_n_0", polygamma), also("polygamma.polygamma_n_1", polygamma),
		also("polygamma.polygamma_n_2", polygamma),
		also("polygamma.polygamma_n_3", polygamma), also("polygamma.polygamma_n_4", polygamma), also("special.polygamma", polygamma),
		also("special.polygamma.special_polygamma_n_0", polygamma),
		mvlgamma, also("mvlgamma.mvlgamma_p_1", mvlgamma), also("mvlgamma.mvlgamma_p_3", mvlgamma), also("mvlgamma.mvlgamma_p_5", mvlgamma),
		polynomial("chebyshev_polynomial_t", "ChebyshevT", "special.chebyshev_t"),
		polynomial("chebyshev_polynomial_u", "ChebyshevU", "special.chebyshev_u"),
		polynomial("chebyshev_polynomial_v", "ChebyshevV", "special.chebyshev_v"),
		polynomial("chebyshev_polynomial_w", "ChebyshevW", "special.chebyshev_w"),
		polynomial("shifted_chebyshev_polynomial_t", "ShiftedChebyshevT", "special.shifted_chebyshev_t"),
		polynomial("shifted_chebyshev_polynomial_u", "ShiftedChebyshevU", "special.shifted_chebyshev_u"),
		polynomial("shifted_chebyshev_polynomial_v", "ShiftedChebyshevV", "special.shifted_chebyshev_v"),
		polynomial("shifted_chebyshev_polynomial_w", "ShiftedChebyshevW", "special.shifted_chebyshev_w"),
		polynomial("hermite_polynomial_h", "HermiteH", "special.hermite_h"),
		polynomial("hermite_polynomial_he", "HermiteHe", "special.hermite_he"),
		polynomial("laguerre_polynomial_l", "Laguerre", "special.laguerre"), polynomial("legendre_polynomial_p", "Legendre", "special.legendre"),
	}
	for _, r := range [][]*Row{both("digamma", "Digamma", "special.digamma"), both("erfinv", "Erfinv", "erfinv"),
		both("lgamma", "LGamma", "special.lgamma")} {
		rows = append(rows, r...)
	}
	return rows
}
