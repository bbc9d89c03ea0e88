package payload

import (
	"errors"
	"fmt"
)

// ErrEmpty is returned by Read for an input of nothing but white space. There is
// no value; the caller has most likely been started without a hook's input.
var ErrEmpty = errors.New("payload is empty")

// SyntaxError is returned by Read, as a pointer, for input that is not one JSON
// document. The value returned with it holds all that was complete before Offset.
type SyntaxError struct {
	Offset int64  // bytes of the input before the offending one
	Msg    string // what was found or missing there
}

// Error names the place and what is wrong there. It never quotes the input,
// which may hold secrets.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid json at offset %d: %s", e.Offset, e.Msg)
}
