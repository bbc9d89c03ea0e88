package agents

import (
	"bytes"
	"encoding/json"
	"slices"

	"journal/events"
	"journal/journal/wire"
)

// Answer gives the JSON by which hooks of several agents speak: person is shown to the
// person, context goes to the model under the hook's own name; what is empty is left
// out. It ends with a line end.
func Answer(native, context, person string) []byte {
	type output struct {
		HookEventName     string `json:"hookEventName"`
		AdditionalContext string `json:"additionalContext"`
	}
	var doc struct {
		SystemMessage string  `json:"systemMessage,omitempty"`
		Output        *output `json:"hookSpecificOutput,omitempty"`
	}
	doc.SystemMessage = person
	if context != "" {
		doc.Output = &output{native, context}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(doc) // strings always encode
	return b.Bytes()
}

// Speak gives the answer of an agent whose model reads the context of the hooks in toModel, and
// whose person reads what any hook says.
func Speak(h events.Hook, to, text string, toModel []string) []byte {
	switch {
	case text == "":
		return nil
	case to == wire.ToPerson:
		return Answer(h.Native, "", text)
	case to == wire.ToModel && slices.Contains(toModel, h.Native):
		return Answer(h.Native, text, "")
	}
	return nil
}

// Join makes one answer of two, of which the agent takes one document: objects that have
// no member in common. Either may be empty.
func Join(a, b []byte) []byte {
	first, second := bytes.TrimSpace(a), bytes.TrimSpace(b)
	switch {
	case len(second) == 0:
		return a
	case len(first) == 0:
		return b
	case !bytes.HasSuffix(first, []byte("}")) || !bytes.HasPrefix(second, []byte("{")):
		return a // a text that is no object
	}
	return slices.Concat(first[:len(first)-1], []byte(","), second[1:], []byte("\n"))
}
