package contract

import "github.com/anycl/anycl/kernels"

// PanelShape is the register block for all of the contraction.
func (c *Contraction) PanelShape() kernels.PanelShape { return c.panelShape() }
