package hooks

import (
	"bytes"
	"encoding/json"
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
