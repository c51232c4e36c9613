package serve

import (
	"bytes"
	"strconv"
)

// cutter takes the data of inputs out of the JSON of a request, so that encoding/json, which reads all text several times, does not see
// them. It knows as much of JSON as is needed to find them: everything else is copied and left to encoding/json to judge.
type cutter struct {
	text []byte
	at   int
	data [][]byte
	out  []byte
	done int // bytes of text that are in out, or in data
}

// maxDepth is how deep arrays of data may be nested; encoding/json has a limit too.
const maxDepth = 1000

// cutData returns text with numbers in place of the data of inputs: the indices of their arrays in data. It leaves
// a text alone where it is not sure, as of keys in other letters or twice, or arrays that hold more than numbers: then data is nil, and
// rest is text.
func cutData(text []byte) (rest []byte, data [][]byte) {
	c := &cutter{text: text}
	inputs := func() bool { return c.array(func() bool { return c.object("data", c.cut) }) }
	if !c.object("inputs", inputs) || c.data == nil {
		return text, nil
	}
	return append(c.out, text[c.done:]...), c.data
}

func (c *cutter) peek() byte {
	for c.at < len(c.text) {
		switch b := c.text[c.at]; b {
		case ' ', '\t', '\n', '\r':
			c.at++
		default:
			return b
		}
	}
	return 0
}

// list steps over the elements between two brackets, of which each reads one.
func (c *cutter) list(open, end byte, each func() bool) bool {
	if c.peek() != open {
		return false
	}
	c.at++
	if c.peek() == end {
		c.at++
		return true
	}
	for each() {
		switch c.peek() {
		case ',':
			c.at++
		case end:
			c.at++
			return true
		default:
			return false
		}
	}
	return false
}

func (c *cutter) array(element func() bool) bool { return c.list('[', ']', element) }

// object steps over an object, with found at the value of key.
func (c *cutter) object(key string, found func() bool) bool {
	seen := false
	return c.list('{', '}', func() bool {
		c.peek()
		from := c.at
		if !c.str() {
			return false
		}
		name := c.text[from+1 : c.at-1]
		if c.peek() != ':' {
			return false
		}
		c.at++
		switch {
		case string(name) == key:
			again := seen
			seen = true
			return !again && found()
		case bytes.IndexByte(name, '\\') >= 0 || bytes.EqualFold(name, []byte(key)): // encoding/json takes it for the key
			return false
		}
		return c.skip()
	})
}

// str steps over a string.
func (c *cutter) str() bool {
	if c.peek() != '"' {
		return false
	}
	for c.at++; c.at < len(c.text); c.at++ {
		switch c.text[c.at] {
		case '\\':
			c.at++
		case '"':
			c.at++
			return true
		}
	}
	return false
}

// skip steps over any value.
func (c *cutter) skip() bool {
	depth := 0
	for {
		switch c.peek() {
		case 0:
			return false
		case '"':
			if !c.str() {
				return false
			}
		case '{', '[':
			depth++
			c.at++
		case '}', ']':
			depth--
			c.at++
		case ',', ':':
			c.at++
		default:
			for c.at < len(c.text) && bytes.IndexByte([]byte(",:]} \t\n\r"), c.text[c.at]) < 0 {
				c.at++
			}
		}
		if depth <= 0 {
			return depth == 0
		}
	}
}

// cut puts a number in place of an array without strings and objects.
func (c *cutter) cut() bool {
	if c.peek() != '[' {
		return false
	}
	from, depth := c.at, 0
	for {
		n := bytes.IndexByte(c.text[c.at:], ']')
		if n < 0 {
			return false
		}
		part := c.text[c.at : c.at+n]
		c.at += n + 1
		depth += bytes.Count(part, []byte{'['})
		if depth > maxDepth || bytes.IndexByte(part, '"') >= 0 || bytes.IndexByte(part, '{') >= 0 {
			return false
		}
		if depth--; depth == 0 {
			break
		}
	}
	c.out = append(c.out, c.text[c.done:from]...)
	c.out = strconv.AppendInt(c.out, int64(len(c.data)), 10)
	c.data, c.done = append(c.data, c.text[from:c.at]), c.at
	return true
}
