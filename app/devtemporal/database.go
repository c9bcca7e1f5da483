package devtemporal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// database is the SQLite file of a server that is being started. The dev server creates the schema only where the file is
// absent, so a first start that is interrupted would leave a file that no later start can use. A marker beside the file,
// present until the first start has succeeded, tells such a file from one that holds workflows.
type database struct {
	file  string // "" = in memory
	fresh bool   // never yet started with success
}

func openDatabase(file string) (database, error) {
	db := database{file: file}
	if file == "" {
		return db, nil
	}
	if info, err := os.Stat(filepath.Dir(file)); err != nil || !info.IsDir() {
		return db, fmt.Errorf("the Temporal database %s cannot be created: its folder does not exist; choose another with --data", file)
	}
	exists := true
	if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
		exists = false
	}
	if _, err := os.Stat(db.marker()); err != nil && exists {
		return db, nil
	}
	db.fresh = true
	if err := os.WriteFile(db.marker(), []byte("Temporal's first start has not finished; the database beside is discarded.\n"), 0o600); err != nil {
		return db, fmt.Errorf("the Temporal database %s cannot be created (%w): make its folder writable or choose another with --data", file, err)
	}
	return db, db.remove()
}

func (d database) marker() string { return d.file + ".starting" }

// remove deletes the database, with what SQLite keeps beside it.
func (d database) remove() error {
	var errs []error
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(d.file + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, fmt.Errorf("remove an unfinished database: %w", err))
		}
	}
	return errors.Join(errs...)
}

// keep ends the first start with success. Temporal leaves its files readable by everyone; SQLite gives those that
// it makes later beside the database the mode of the database.
func (d database) keep() error {
	if !d.fresh {
		return nil
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Chmod(d.file+suffix, 0o600); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("finish Temporal's first start: %w", err)
		}
	}
	if err := os.Remove(d.marker()); err != nil {
		return fmt.Errorf("finish Temporal's first start: %w", err)
	}
	return nil
}

// discard undoes a failed first start; a database that was there before stays as it is.
func (d database) discard() error {
	if !d.fresh {
		return nil
	}
	err := d.remove()
	if err == nil { // else the marker still says what the file is worth
		err = os.Remove(d.marker())
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
