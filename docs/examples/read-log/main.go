// Command read-log reads a log without the code of this repository. Of its files it needs only the dictionaries with which
// messages are compressed (docs/FORMAT.md). It prints each event's envelope as a line of JSON:
//
//	journal serve --listen 127.0.0.1:0    # writes a NATS context
//	go run ./docs/examples/read-log ~/.config/nats/context/journal.json journal/record/dictionaries
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/vmihailenco/msgpack/v5"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: read-log CONTEXT DICTIONARIES")
	}
	if err := read(context.Background(), os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

// read prints the events of all streams of a server. natsContext is the path of the file with the address and the credentials of
// the server, and dictionaries the path of the directory with the dictionaries.
func read(ctx context.Context, natsContext, dictionaries string) error {
	decoder, err := newDecoder(dictionaries)
	if err != nil {
		return err
	}
	b, err := os.ReadFile(natsContext)
	if err != nil {
		return err
	}
	var server struct{ URL, User, Password string }
	if err := json.Unmarshal(b, &server); err != nil {
		return err
	}
	nc, err := nats.Connect(server.URL, nats.UserInfo(server.User, server.Password))
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	for stream := range js.StreamNames(ctx).Name() {
		s, err := js.Stream(ctx, stream)
		if err != nil {
			return err
		}
		for seq := range s.CachedInfo().State.LastSeq {
			m, err := s.GetMsg(ctx, seq+1)
			if err != nil {
				return err
			}
			if m.Header.Get("Nats-Msg-Id") == "" {
				continue // not an event
			}
			if err := show(decoder, m); err != nil {
				return fmt.Errorf("#%d: %w", seq+1, err)
			}
		}
	}
	return nil
}

// newDecoder returns a decoder with every dictionary of a directory. Each compressed message names the dictionary that it needs.
func newDecoder(dir string) (*zstd.Decoder, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.zdict"))
	if err != nil {
		return nil, err
	}
	var all [][]byte
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return zstd.NewReader(nil, zstd.WithDecoderDicts(all...))
}

// show prints an event, decompressed if necessary, with its sequence.
func show(decoder *zstd.Decoder, m *jetstream.RawStreamMsg) (err error) {
	data := m.Data
	if m.Header.Get("Content-Encoding") == "zstd" {
		if data, err = decoder.DecodeAll(data, nil); err != nil {
			return err
		}
	}
	var event map[string]any
	if err := msgpack.Unmarshal(data, &event); err != nil {
		return err
	}
	event["seq"] = m.Sequence
	return json.NewEncoder(os.Stdout).Encode(event)
}
