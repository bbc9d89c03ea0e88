package events

// PromptSubmitted says that a prompt went to the model.
type PromptSubmitted struct {
	Text string `json:"text"`
	// Machine marks prompts that no person typed, such as the notice that a background task has finished. No person
	// asked for what they say.
	Machine bool `json:"machine,omitempty"`
}

func (PromptSubmitted) event() {}

var _ = declare("prompt.submitted", "a prompt went to the model",
	from(func(h Hook) (PromptSubmitted, bool) {
		return PromptSubmitted{Text: h.Text, Machine: h.Machine}, h.Kind == PromptSubmit
	}),
)
