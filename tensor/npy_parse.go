package tensor

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// npyParser reads the one form of Python literal that a .npy header is.
type npyParser struct {
	header npyHeader
	rest   string          // of the text
	seen   map[string]bool // keys
}

// parseNPYHeader parses the Python dict literal
//
//	{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
//
// with its keys in any order. Source: NumPy reference, numpy.lib.format.
func parseNPYHeader(text string) (*npyHeader, error) {
	p := &npyParser{rest: text, seen: map[string]bool{}}
	err := p.parseDict()
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if err == nil && !p.seen[key] {
			err = fmt.Errorf("%q is missing", key)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("header %.200q: %w", text, err)
	}
	return &p.header, nil
}

func (p *npyParser) parseDict() error {
	if !p.take("{") {
		return errors.New("it does not start with {")
	}
	for !p.take("}") {
		key, err := p.parseString()
		if err != nil {
			return err
		}
		if p.seen[key] {
			return fmt.Errorf("%q appears twice", key)
		}
		p.seen[key] = true
		if !p.take(":") {
			return fmt.Errorf("no colon after %q", key)
		}
		switch key {
		case "descr":
			err = p.parseDescr()
		case "fortran_order":
			err = p.parseBool()
		case "shape":
			err = p.parseShape()
		default:
			err = fmt.Errorf("unknown key %q", key)
		}
		if err != nil {
			return err
		}
		if !p.take(",") && !strings.HasPrefix(p.rest, "}") {
			return fmt.Errorf("no comma after the value of %q", key)
		}
	}
	if p.rest != "" {
		return fmt.Errorf("%.50q follows the closing brace", p.rest)
	}
	return nil
}

// take consumes token, with the space around it, if it comes next.
func (p *npyParser) take(token string) bool {
	rest, found := strings.CutPrefix(strings.TrimLeft(p.rest, " \t\r\n"), token)
	if found {
		p.rest = strings.TrimLeft(rest, " \t\r\n")
	}
	return found
}

func (p *npyParser) parseString() (string, error) {
	for _, quote := range []string{"'", `"`} {
		if p.take(quote) {
			s, rest, closed := strings.Cut(p.rest, quote)
			if !closed {
				return "", errors.New("a string does not end")
			}
			p.rest = strings.TrimLeft(rest, " \t\r\n")
			return s, nil
		}
	}
	return "", fmt.Errorf("expected a string at %.20q", p.rest)
}

func (p *npyParser) parseDescr() error {
	if strings.HasPrefix(p.rest, "[") {
		return errors.New("a structured dtype is not supported: save each field as an array of its own")
	}
	descr, err := p.parseString()
	if err != nil {
		return err
	}
	order, code := byte('='), descr
	if descr != "" && strings.IndexByte("<>|=", descr[0]) >= 0 {
		order, code = descr[0], descr[1:]
	}
	dt, known := npyCodes[code]
	if !known {
		return fmt.Errorf("dtype %q is not supported", descr)
	}
	p.header.dtype = dt
	p.header.swapped = dt.Size() > 1 && (order == '<' || order == '>') && order != hostOrder
	return nil
}

func (p *npyParser) parseBool() error {
	switch {
	case p.take("True"):
		p.header.fortran = true
	case p.take("False"):
		p.header.fortran = false
	default:
		return fmt.Errorf("fortran_order is neither True nor False at %.20q", p.rest)
	}
	return nil
}

func (p *npyParser) parseShape() error {
	if !p.take("(") {
		return fmt.Errorf("shape is not a tuple at %.20q", p.rest)
	}
	for comma := true; !p.take(")"); comma = p.take(",") {
		end := 0
		for end < len(p.rest) && '0' <= p.rest[end] && p.rest[end] <= '9' {
			end++
		}
		if !comma || end == 0 {
			return fmt.Errorf("shape is not a tuple of sizes at %.20q", p.rest)
		}
		size, err := strconv.ParseInt(p.rest[:end], 10, strconv.IntSize)
		if err != nil {
			return fmt.Errorf("shape: %w", err)
		}
		p.header.shape = append(p.header.shape, int(size))
		p.rest = strings.TrimPrefix(p.rest[end:], "L") // Python 2 wrote 3L
	}
	return nil
}
