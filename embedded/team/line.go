package team

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"journal/embedded/team/chunk"
)

// linePrefix begins an invitation that is spelled in one line. Behind it stands its JSON, compressed, in base64url.
const linePrefix = "team:"

// Line spells an invitation in one line, which a colleague can be sent and can paste. It holds
// keys and is worth as much as they are.
func (m Member) Line() (string, error) {
	b, err := json.Marshal(m)
	if err == nil {
		b, err = chunk.Pack(b)
	}
	return linePrefix + base64.RawURLEncoding.EncodeToString(b), err
}

// decodeLine reads what stands behind the prefix of a line.
func decodeLine(s string) (Member, error) {
	b, err := base64.RawURLEncoding.DecodeString(strings.TrimSpace(s))
	if err == nil {
		b, err = chunk.Unpack(b)
	}
	if err != nil {
		return Member{}, fmt.Errorf("%w: the line is not whole: %w", ErrInvitation, err)
	}
	return DecodeMember(b)
}
