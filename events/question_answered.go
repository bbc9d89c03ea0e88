package events

// QuestionAnswered says what the person chose or wrote when the agent asked. It is
// a decision: nobody can know it better.
type QuestionAnswered struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
	Use      string `json:"use,omitempty"`
}

func (QuestionAnswered) event() {}

var _ = declare("question.answered", "the person answered a question of the agent",
	lasting[QuestionAnswered](),
	fromEach(func(h Hook) []QuestionAnswered {
		if h.Kind != ToolEnd || h.Tool.Action != AskPerson || h.Tool.Failed {
			return nil
		}
		var all []QuestionAnswered
		for _, a := range h.Tool.Answers {
			all = append(all, QuestionAnswered{Question: a.Question, Answer: a.Answer, Use: h.Tool.Use})
		}
		return all
	}),
)
