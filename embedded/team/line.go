package team

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// linePrefix begins an invitation that is spelled in one line. Behind it stands its JSON,
// deflated (RFC 1951), in base64url.
const linePrefix = "team:"

// Line spells an invitation in one line, which a colleague can be sent and can paste. It holds
// keys and is worth as much as they are.
func (m Member) Line() (string, error) {
	b, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	var small bytes.Buffer
	w, err := flate.NewWriter(&small, flate.BestCompression)
	if err != nil {
		return "", err
	}
	if _, err = w.Write(b); err == nil {
		err = w.Close()
	}
	return linePrefix + base64.RawURLEncoding.EncodeToString(small.Bytes()), err
}

// decodeLine reads what stands behind the prefix of a line.
func decodeLine(s string) (Member, error) {
	small, err := base64.RawURLEncoding.DecodeString(strings.TrimSpace(s))
	var b []byte
	if err == nil {
		b, err = io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(small)), invitationBytes))
	}
	if err != nil {
		return Member{}, fmt.Errorf("%w: the line is not whole: %w", ErrInvitation, err)
	}
	return DecodeMember(b)
}
