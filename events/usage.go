package events

// Tokens counts tokens as they are billed. Each token counts in one field, and some of CacheWrite also in CacheWriteHour.
type Tokens struct {
	Input          int64 `json:"input,omitempty"`          // input that was neither read from nor written to a cache
	CacheRead      int64 `json:"cache_read,omitempty"`     // input read from a cache
	CacheWrite     int64 `json:"cache_write,omitempty"`    // input written to a cache
	CacheWriteHour int64 `json:"cache_write_1h,omitempty"` // the part of CacheWrite that is kept for an hour, at a higher price
	Output         int64 `json:"output,omitempty"`
}

// Add adds o to t.
func (t *Tokens) Add(o Tokens) {
	t.Input, t.CacheRead, t.Output = t.Input+o.Input, t.CacheRead+o.CacheRead, t.Output+o.Output
	t.CacheWrite, t.CacheWriteHour = t.CacheWrite+o.CacheWrite, t.CacheWriteHour+o.CacheWriteHour
}

// Sum returns the number of all tokens.
func (t Tokens) Sum() int64 { return t.Input + t.CacheRead + t.CacheWrite + t.Output }

// TokensUsed counts the tokens of the requests of one turn to one model on one day, from the agent's transcript. The
// envelope has the time of the newest request. The owner appends it when the turn has ended; an import appends the same
// event. If further rows of the turn are read later, a second event with the same First is appended. The event with more requests
// or tokens replaces the other.
type TokensUsed struct {
	First    string `json:"first"` // digest of the id of the first of these requests, the same in every copy of its row
	Model    string `json:"model,omitempty"`
	Requests int    `json:"requests"`
	Tokens   Tokens `json:"tokens"`
	// Price is the price of the requests according to the client, in millionths of a US dollar; 0 if unknown.
	Price int64 `json:"price,omitempty"`
}

func (TokensUsed) event() {}

// Includes reports whether u counts more requests than o, or as many with at least its tokens. Both must have the same First.
func (u TokensUsed) Includes(o TokensUsed) bool {
	return u.Requests > o.Requests || u.Requests == o.Requests && u.Tokens.Sum() >= o.Tokens.Sum()
}

var _ = declare[TokensUsed]("tokens.used", "what the requests of a turn to a model used", lasting, bookkeeping, irreversible)
