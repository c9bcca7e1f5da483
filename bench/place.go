package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"idplatform/database"
)

// place is where one contender keeps its rows: a folder of its own, and on PostgreSQL a database too.
type place struct {
	folder string
	driver database.Driver
	dsn    string
	closed []func() error
}

func newPlace(ctx context.Context, s settings, kind string) (*place, error) {
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	p := &place{folder: folder, driver: database.Driver(kind), dsn: filepath.Join(folder, "platform.db")}
	p.onClose(func() error { return os.RemoveAll(folder) })
	if p.driver == database.Postgres {
		dsn, drop, err := freshPostgres(ctx, s)
		if err != nil {
			return nil, errors.Join(err, p.close())
		}
		p.dsn = dsn
		p.onClose(drop)
	}
	return p, nil
}

// registerDSN is where the register of the place is: a file of its own on SQLite, as under `platform dev`.
func (p *place) registerDSN() string {
	if p.driver == database.SQLite {
		return filepath.Join(p.folder, "register.db")
	}
	return p.dsn
}

func (p *place) onClose(f func() error) { p.closed = append(p.closed, f) }

func (p *place) close() error {
	var all []error
	for i := len(p.closed) - 1; i >= 0; i-- {
		all = append(all, p.closed[i]())
	}
	p.closed = nil
	return errors.Join(all...)
}
