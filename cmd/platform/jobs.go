package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"idplatform/client"
)

func jobsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "jobs", Short: "Follow asynchronous single calls"}
	wait := &cobra.Command{Use: "wait JOB", Short: "Wait for a job to end and print it; exit code 1 when it failed", Args: cobra.ExactArgs(1)}
	cmd.AddCommand(onClient(wait, func(c *client.Client, args []string) error {
		job, err := c.WaitJob(wait.Context(), args[0])
		if err != nil {
			return err
		}
		return errors.Join(show(wait.OutOrStdout(), job, true), job.Err())
	}))
	return cmd
}

// onClient makes a command of what it does with a client that has a data folder's credentials.
func onClient(cmd *cobra.Command, do func(*client.Client, []string) error) *cobra.Command {
	var data, credentials string
	cmd.Flags().StringVar(&data, "data", "./data", "data `folder` of platform dev")
	cmd.Flags().StringVar(&credentials, "credentials", "", "credentials file, in place of the data folder's")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if credentials == "" {
			credentials = filepath.Join(data, "credentials.json")
		}
		creds, err := client.LoadCredentials(credentials)
		if err != nil {
			return err
		}
		c, err := client.New(creds)
		if err != nil {
			return err
		}
		defer c.Close()
		return do(c, args)
	}
	return cmd
}

// follow shows the progress of a batch until it has ended.
func follow(cmd *cobra.Command, c *client.Client, batch *client.Batch) (*client.Batch, error) {
	bar := progressbar.NewOptions64(int64(batch.TotalItems), progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionSetDescription(batch.ID), progressbar.OptionShowCount(), progressbar.OptionClearOnFinish())
	for !batch.Finished() {
		if err := sleep(cmd.Context(), 200*time.Millisecond); err != nil {
			return nil, err
		}
		next, err := c.Batch(cmd.Context(), batch.ID)
		if err != nil {
			return nil, err
		}
		batch = next
		_ = bar.Set64(int64(batch.ProcessedItems)) // a bar that cannot be drawn is no reason to stop
	}
	return batch, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
