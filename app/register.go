package app

import (
	"context"
	"fmt"

	"idplatform/config"
	"idplatform/database"
	"idplatform/engines/registry"
)

// openRegister opens the register that the configuration names.
func openRegister(ctx context.Context, cfg config.Register) (registry.Register, func() error, error) {
	if cfg.Driver == "http" {
		register, err := registry.NewHTTP(registry.HTTPConfig{BaseURL: cfg.HTTP.URL,
			CAFile: cfg.HTTP.CAFile, CertFile: cfg.HTTP.CertFile, KeyFile: cfg.HTTP.KeyFile})
		return register, func() error { return nil }, err
	}
	db, err := database.Open(ctx, database.Config{Driver: database.Driver(cfg.Driver), DSN: cfg.DSN})
	if err != nil {
		return nil, nil, fmt.Errorf("open the register: %w", err)
	}
	register, err := registry.OpenSQL(ctx, db)
	if err != nil {
		_ = db.Close()
		return nil, nil, err
	}
	return register, db.Close, nil
}
