package codex

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"journal/journal/agents/transcript"
	"journal/journal/redact"
)

// counted is a row that names the model of what follows, or the usage of a request.
type counted struct {
	At      time.Time `json:"timestamp"`
	Payload struct {
		Model string `json:"model"`
		Info  struct {
			All  used `json:"total_token_usage"`
			Last used `json:"last_token_usage"`
		} `json:"info"`
	} `json:"payload"`
}

type used struct {
	Input      int64 `json:"input_tokens"` // includes what caches held and what was put there
	CacheRead  int64 `json:"cached_input_tokens"`
	CacheWrite int64 `json:"cache_write_input_tokens"`
	Output     int64 `json:"output_tokens"`
}

// spent reads the usage of a session's requests. A count is repeated if nothing was requested: its sum is then the
// same.
func spent(path string) (all []transcript.Spent, err error) {
	model, sum := "", used{}
	err = transcript.EachRow(path, rowLimits, func(b []byte) {
		var r counted
		turn := bytes.Contains(b, []byte(`"turn_context"`))
		if !turn && !bytes.Contains(b, []byte(`"token_count"`)) || json.Unmarshal(b, &r) != nil {
			return
		}
		if turn && r.Payload.Model != "" {
			model = r.Payload.Model
		}
		u := r.Payload.Info.Last
		if turn || r.Payload.Info.All == sum || u == (used{}) {
			return
		}
		sum = r.Payload.Info.All
		u.Input = max(0, u.Input-u.CacheRead-u.CacheWrite)
		all = append(all, transcript.Spent{ID: fmt.Sprint(r.At.UnixNano(), sum), At: r.At, Model: redact.Text(model), Tokens: transcript.Tokens(u)})
	})
	return all, err
}
