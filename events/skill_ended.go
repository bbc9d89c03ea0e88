package events

import (
	"errors"
)

// SkillEnded says that the running skill is over: nothing of it is given back
// after a compaction any more (S3.4).
type SkillEnded struct {
	Status string `json:"status"` // finished, discarded
}

func (SkillEnded) event() {}

func (s SkillEnded) validate() error {
	if s.Status != "finished" && s.Status != "discarded" {
		return errors.New(`status is "finished" or "discarded"`)
	}
	return nil
}

var _ = declare("skill.ended", "the running skill is finished or discarded", lasting[SkillEnded](), appendable[SkillEnded]())
