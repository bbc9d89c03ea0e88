package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"journal/journal/record"
)

// MaxBatch is the server's bound for the messages of one atomic batch. MaxBatchBytes
// bounds their data, because the server buffers 128 MiB and refuses more
// (docs/ENGINE.md §5).
const (
	MaxBatch      = 1000
	MaxBatchBytes = 16 << 20
)

const (
	// commitWait bounds the storing of a whole batch, whose data are synced at once.
	commitWait = 30 * time.Second

	// Headers of an atomic batch, and the value that ends it (ADR-50 of NATS). The
	// server stores the first two with every message.
	batchIDHeader       = "Nats-Batch-Id"
	batchSequenceHeader = "Nats-Batch-Sequence"
	batchCommitHeader   = "Nats-Batch-Commit"
	batchCommit         = "1"

	// duplicateInBatch is the server's error code for a batch with an id that it
	// remembers.
	duplicateInBatch = jetstream.ErrorCode(10201)
)

// StoreBatch stores records in order, ignoring their Seq, and returns the sequence of the last
// one when all are synced to disk. A batch is stored at consecutive sequences, completely or
// not at all. A batch with an id that the server remembers is stored one by one instead: then
// an error can leave some of it stored, a message that is already stored keeps its place, and
// last is the place of the last message. A message without an id is stored again with every call.
//
// After a timeout the outcome is unknown: store the batch again under the same ids.
// More than MaxBatch messages or MaxBatchBytes of data are an error. Of each message
// it checks only the id: the data were checked when they were first stored.
func (l *Log) StoreBatch(ctx context.Context, messages []record.Record) (last uint64, err error) {
	size := 0
	for _, m := range messages {
		if m.ID != "" && !IsID(m.ID) {
			return 0, fmt.Errorf("store batch: id of %d bytes is no id", len(m.ID))
		}
		size += len(m.Data)
	}
	if len(messages) > MaxBatch || size > MaxBatchBytes {
		return 0, fmt.Errorf("store batch: %d messages of %d bytes are more than %d of %d", len(messages), size, MaxBatch, MaxBatchBytes)
	}
	last, err = l.storeAtOnce(ctx, messages)
	if api := (*jetstream.APIError)(nil); errors.As(err, &api) && api.ErrorCode == duplicateInBatch {
		for _, m := range messages {
			seq, _, err := l.Store(ctx, m)
			if err != nil {
				return last, err
			}
			last = seq
		}
		return last, nil
	}
	if err != nil {
		return 0, fmt.Errorf("store batch of %d: %w", len(messages), err)
	}
	return last, nil
}

// storeAtOnce stores messages as one atomic batch, and returns the sequence of the last. The
// server answers only the last message, and refuses it if anything before went wrong.
func (l *Log) storeAtOnce(ctx context.Context, messages []record.Record) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, commitWait)
	defer cancel()
	id := strconv.FormatUint(rand.Uint64(), 36)
	for i, m := range messages {
		msg, err := Message(m)
		if err != nil {
			return 0, err
		}
		msg.Header.Set(batchIDHeader, id)
		msg.Header.Set(batchSequenceHeader, strconv.Itoa(i+1))
		if i < len(messages)-1 {
			if err := l.nc.PublishMsg(msg); err != nil {
				return 0, err
			}
			continue
		}
		msg.Header.Set(batchCommitHeader, batchCommit)
		answer, err := l.nc.RequestMsgWithContext(ctx, msg)
		if err != nil {
			return 0, err
		}
		return batchEnd(answer.Data, l.stream, id, len(messages))
	}
	return 0, nil
}

// batchEnd returns the sequence of a batch's last message, from the server's answer to this message. An answer
// that is unreadable or for another batch is an error.
func batchEnd(answer []byte, stream, id string, messages int) (uint64, error) {
	var ack struct {
		Error  *jetstream.APIError `json:"error"`
		Stream string              `json:"stream"`
		Seq    uint64              `json:"seq"`
		Batch  string              `json:"batch"`
		Count  int                 `json:"count"`
	}
	if err := json.Unmarshal(answer, &ack); err != nil {
		return 0, fmt.Errorf("answer of the server: %w", err)
	}
	if ack.Error != nil {
		return 0, ack.Error
	}
	if ack.Stream != stream || ack.Batch != id || ack.Count != messages || ack.Seq < uint64(messages) {
		return 0, fmt.Errorf("answer of the server is not for this batch: %q", answer)
	}
	return ack.Seq, nil
}

// Message returns the message that stores a plain record in the log or a copy of it. Data is
// compressed here and nowhere else.
func Message(r record.Record) (*nats.Msg, error) {
	msg := nats.NewMsg(r.Subject)
	data, packed, err := r.Pack()
	if err != nil {
		return nil, err
	}
	msg.Data = data
	if r.ID != "" {
		msg.Header.Set(record.IDHeader, r.ID)
	}
	if packed {
		msg.Header.Set(record.EncodingHeader, record.Encoding)
	}
	return msg, nil
}
