package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"idplatform/client"
)

func batchesCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "batches", Short: "Submit, follow and cancel asynchronous batches"}
	cmd.AddCommand(batchSubmitCommand(), batchResultsCommand(), batchCancelCommand())
	return cmd
}

func batchSubmitCommand() *cobra.Command {
	var path, purpose string
	var scopes []string
	var noWait bool
	cmd := &cobra.Command{
		Use: "submit FILE.jsonl|FILE.csv", Short: "Submit a file of items and follow the batch to its end", Args: cobra.ExactArgs(1),
		Long: `Each line is an item: an object (JSON lines), or a row of a CSV file whose columns name fields, such as
reference, identifier.type, identifier.value, match.full_name, match.age:number or scopes:list.`,
	}
	cmd.Flags().StringVar(&path, "path", "/v1/kyc/validations", "path of the service")
	cmd.Flags().StringVar(&purpose, "purpose", "", "purpose of every item that does not state its own")
	cmd.Flags().StringSliceVar(&scopes, "scopes", nil, "scopes of every item that does not state its own")
	cmd.Flags().BoolVar(&noWait, "no-wait", false, "print the batch as it was accepted and leave")
	return onClient(cmd, func(c *client.Client, args []string) error {
		items, err := readItems(args[0])
		if err != nil {
			return err
		}
		batch, err := submitItems(cmd, c, path, batchBody(cmd, items, purpose, scopes))
		if err == nil && !noWait {
			batch, err = follow(cmd, c, batch)
		}
		if err != nil {
			return err
		}
		return show(cmd.OutOrStdout(), batch, true)
	})
}

func submitItems(cmd *cobra.Command, c *client.Client, path string, body map[string]any) (*client.Batch, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	answer, err := c.Do(cmd.Context(), "POST", path+"/batches", text, client.Async(), client.IdempotencyKey(uuid.NewString()))
	if err != nil {
		return nil, err
	}
	return client.Decode[client.Batch](answer.Body)
}

func batchBody(cmd *cobra.Command, items []json.RawMessage, purpose string, scopes []string) map[string]any {
	body := map[string]any{"items": items}
	if purpose != "" {
		body["purpose"] = purpose
	}
	if cmd.Flags().Changed("scopes") {
		body["scopes"] = append([]string{}, scopes...)
	}
	return body
}

func readItems(file string) ([]json.RawMessage, error) {
	read := map[string]func(io.Reader) ([]json.RawMessage, error){
		".jsonl": client.ItemsFromJSONL, ".csv": client.ItemsFromCSV}[strings.ToLower(filepath.Ext(file))]
	if read == nil {
		return nil, fmt.Errorf("%s is neither .jsonl nor .csv", file)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	items, err := read(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return items, nil
}

func batchResultsCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{Use: "results BATCH", Short: "Write the results of a batch as JSON lines, waiting for those still to come", Args: cobra.ExactArgs(1)}
	cmd.Flags().StringVar(&out, "out", "", "file to write; standard output without it")
	return onClient(cmd, func(c *client.Client, args []string) error {
		var w io.Writer = cmd.OutOrStdout()
		closeFile := func() error { return nil }
		if out != "" {
			f, err := os.OpenFile(out, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
			if err != nil {
				return err
			}
			w, closeFile = f, f.Close
		}
		return errors.Join(writeResults(cmd, c, args[0], w), closeFile())
	})
}

func writeResults(cmd *cobra.Command, c *client.Client, id string, w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for item, err := range c.AllBatchResults(cmd.Context(), id) {
		if err != nil {
			return err
		}
		if err := enc.Encode(item); err != nil {
			return err
		}
	}
	return nil
}

func batchCancelCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "cancel BATCH", Short: "Cancel a batch", Args: cobra.ExactArgs(1)}
	return onClient(cmd, func(c *client.Client, args []string) error {
		batch, err := c.CancelBatch(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		return show(cmd.OutOrStdout(), batch, true)
	})
}
