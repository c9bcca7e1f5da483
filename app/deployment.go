package app

import (
	"context"
	"io"
	"log/slog"

	"idplatform/config"
)

// Place says which deployment a command works on: a data folder of `platform dev`, or a configuration file.
type Place struct {
	Data       string
	ConfigFile string
}

func (p Place) config() (config.Config, error) {
	if p.ConfigFile != "" {
		return config.Load(p.ConfigFile)
	}
	return Settings(p.Data)
}

// Deployment is administered by the commands, beside a running platform or without one.
type Deployment struct {
	app *App
	cfg config.Config
}

// OpenDeployment opens a deployment for administration.
func OpenDeployment(ctx context.Context, place Place) (*Deployment, error) {
	cfg, err := place.config()
	if err != nil {
		return nil, err
	}
	a, err := New(ctx, cfg, Options{Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		return nil, err
	}
	return &Deployment{app: a, cfg: cfg}, nil
}

// Close lets go of the deployment.
func (a *Deployment) Close() error { return a.app.Close() }
