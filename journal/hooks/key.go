package hooks

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"journal/events"
	"journal/journal/payload"
)

// toolKey is the occurrence key of a tool event: the agent gives every call an
// id of its own, so equal keys are one fact.
func toolKey(agent, use, native string) string {
	return events.ToolKey + digest(agent, use, native)
}

// payloadKey is the occurrence key of any other hook: a digest of all it said,
// in an order of our own since the agent's is not stable (PROTOCOLS 1.2). Equal
// keys can be two facts; the owner decides by what lies between them.
func payloadKey(agent string, p payload.Value) string {
	var members []string
	for name, v := range p.Members() {
		members = append(members, name+"\x00"+string(v.JSON()))
	}
	slices.Sort(members)
	return events.PayloadKey + digest(agent, strings.Join(members, "\x01"))
}

func digest(words ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(words, "\x02")))
	return hex.EncodeToString(sum[:8])
}
