package team

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"journal/journal/disk"
)

// heard is a file with what others told, as far as the hub was asked: it need not be durable.
type heard[T any] struct {
	name string
	most int // entries; what is beyond is left out
}

func (f heard[T]) load(journal string) (all []T, err error) {
	err = load(journal, f.name, &all)
	return all, err
}

// save replaces what is known. Of nothing there is no file.
func (f heard[T]) save(journal string, all []T) error {
	path := filepath.Join(Dir(journal), f.name)
	if len(all) == 0 {
		err := os.Remove(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	b, err := json.MarshalIndent(all[:min(len(all), f.most)], "", "  ")
	if err != nil {
		return err
	}
	return disk.Replace(path, append(b, '\n'), 0o600)
}

// drop removes what is not to be known any more.
func (f heard[T]) drop(journal string, unwanted func(T) bool) error {
	all, err := f.load(journal)
	if err != nil || len(all) == 0 {
		return err
	}
	return f.save(journal, slices.DeleteFunc(all, unwanted))
}
