package row

// BelowTheirMaxima replaces exp in softmax, whose arguments are not above 0.
var BelowTheirMaxima = belowTheirMaxima
