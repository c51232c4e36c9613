package row

// BelowTheirMaxima is what softmax makes of exp.
var BelowTheirMaxima = belowTheirMaxima
