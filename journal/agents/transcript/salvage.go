package transcript

import (
	"bytes"
	"encoding/json"
)

// salvageTries bounds the number of places in a broken line at which a row is looked for.
const salvageTries = 2000

// Salvage splits a line that is not one whole row, and returns the whole rows and the broken parts around them, in order. Writers
// without a lock may leave two rows on a line, a killed writer a part of a row, and a power cut zeros. After a broken part, whole rows
// count only if they reach to the end of the line.
func Salvage(line []byte) (rows [][]byte) {
	broken := 0                 // offset at which the current broken part begins
	addBroken := func(at int) { // adds the broken part before an offset
		if part := bytes.Trim(line[broken:at], "\x00 \t\r\n"); len(part) > 0 {
			rows = append(rows, part)
		}
	}
	for at, tries := 0, 0; at < len(line) && tries < salvageTries; {
		next := bytes.IndexByte(line[at:], '{')
		if next < 0 {
			break
		}
		at, tries = at+next, tries+1
		whole := objects(line[at:])
		afterBroken := len(bytes.Trim(line[broken:at], "\x00 \t\r\n")) > 0
		n := 0
		for _, row := range whole {
			n += len(row)
		}
		if len(whole) == 0 || afterBroken && len(bytes.Trim(line[at+n:], "\x00 \t\r\n")) > 0 {
			at++
			continue
		}
		addBroken(at)
		for _, row := range whole {
			rows = append(rows, bytes.TrimSpace(row))
		}
		at += n
		broken = at
	}
	addBroken(len(line))
	return rows
}

// objects returns the consecutive whole JSON objects at the beginning of b, each with the white space before it.
func objects(b []byte) (all [][]byte) {
	in := json.NewDecoder(bytes.NewReader(b))
	for from := int64(0); ; {
		var object json.RawMessage
		if in.Decode(&object) != nil || object[0] != '{' {
			return all
		}
		all = append(all, b[from:in.InputOffset()])
		from = in.InputOffset()
	}
}
