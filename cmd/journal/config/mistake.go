package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// mistake says what is wrong with a file that cannot be decoded, and on which line.
func mistake(b []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	what, after := "", int64(0)
	switch field, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); {
	case unknown:
		what = "there is no setting " + field
		after = int64(bytes.Index(b, []byte(field))) // the decoder does not say where
	case errors.As(err, &syntax):
		what, after = "this is no JSON", syntax.Offset
	case errors.As(err, &kind):
		what, after = fmt.Sprintf("%s cannot be a %s", kind.Field, kind.Value), kind.Offset
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		what, after = "it ends too early", int64(len(b))
	default:
		return err
	}
	after = max(0, min(after, int64(len(b))))
	return fmt.Errorf("line %d: %s", 1+bytes.Count(b[:after], []byte("\n")), what)
}
