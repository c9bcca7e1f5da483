package app

import (
	"context"
	"errors"

	"idplatform/config"
)

// Serve runs the named parts of a configured deployment until the context ends.
func Serve(ctx context.Context, configFile string, parts Options) (err error) {
	cfg, err := config.Load(configFile)
	if err != nil {
		return err
	}
	a, err := New(ctx, cfg, parts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	return a.Run(ctx)
}

// Migrate brings the database schemas of a deployment up to date and ends.
func Migrate(ctx context.Context, configFile string) error {
	cfg, err := config.Load(configFile)
	if err != nil {
		return err
	}
	a, err := New(ctx, cfg, Options{})
	if err != nil {
		return err
	}
	return a.Close()
}
