package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"idplatform/client"
)

func callCommand() *cobra.Command {
	var data, credentials, key string
	var async bool
	cmd := &cobra.Command{
		Use:   "call METHOD PATH [@file|json]",
		Short: "Make a signed, encrypted call and print the plaintext answer",
		Long: `Signs and encrypts a call with the credentials of a data folder, and prints the decrypted answer. The body is
JSON, @file, or @- for standard input. The exit code is 0 for a 2xx answer, else 1.`,
		Args: cobra.RangeArgs(2, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			if credentials == "" {
				credentials = filepath.Join(data, "credentials.json")
			}
			return call(cmd, credentials, args, callOptions(key, async))
		},
	}
	cmd.Flags().StringVar(&data, "data", "./data", "data `folder` of platform dev")
	cmd.Flags().StringVar(&credentials, "credentials", "", "credentials file, in place of the data folder's")
	cmd.Flags().StringVar(&key, "idempotency-key", "", "a UUID; the same key gives the same answer for 24 hours")
	cmd.Flags().BoolVar(&async, "async", false, "ask for an asynchronous answer (Prefer: respond-async)")
	return cmd
}

func callOptions(key string, async bool) []client.CallOption {
	var options []client.CallOption
	if key != "" {
		options = append(options, client.IdempotencyKey(key))
	}
	if async {
		options = append(options, client.Async())
	}
	return options
}

func call(cmd *cobra.Command, credentialsFile string, args []string, options []client.CallOption) error {
	creds, err := client.LoadCredentials(credentialsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there are no credentials at %s: start `platform dev` first, or name its folder with --data DIR", credentialsFile)
	}
	if err != nil {
		return err
	}
	c, err := client.New(creds)
	if err != nil {
		return err
	}
	body, err := callBody(cmd.InOrStdin(), args[2:])
	if err != nil {
		return err
	}
	answer, err := c.Do(cmd.Context(), strings.ToUpper(args[0]), args[1], body, options...)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("nothing listens at %s: start the platform (`platform dev`), or correct base_url in %s", creds.BaseURL, credentialsFile)
	}
	var refused *client.Error
	switch {
	case errors.As(err, &refused) && len(refused.Body) > 0:
		printJSON(cmd.OutOrStdout(), refused.Body)
	case err == nil:
		printJSON(cmd.OutOrStdout(), answer.Body)
	}
	return err
}

func printJSON(w io.Writer, body []byte) {
	var pretty bytes.Buffer
	if json.Indent(&pretty, body, "", "  ") != nil {
		pretty.Write(body)
	}
	fmt.Fprintln(w, pretty.String())
}

func callBody(stdin io.Reader, args []string) ([]byte, error) {
	if len(args) == 0 {
		return nil, nil
	}
	switch name, isFile := strings.CutPrefix(args[0], "@"); {
	case isFile && name == "-":
		return io.ReadAll(stdin)
	case isFile:
		return os.ReadFile(name)
	}
	return []byte(args[0]), nil
}
