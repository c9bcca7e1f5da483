package app

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"idplatform/client"
	"idplatform/platform/webhooks"
)

// ListenOptions are the flags of `platform listen`.
type ListenOptions struct {
	// Credentials is a credentials file.
	Credentials string
	// ForwardTo is the URL of a program under development; empty: events are only printed.
	ForwardTo string
	// Listen is an address to receive webhooks at, which the application's endpoint leads to. Empty: the events
	// are read from the API instead, which needs no endpoint and works from behind any firewall.
	Listen string
	// Out takes a line an event, Warnings what goes wrong meanwhile.
	Out, Warnings io.Writer
}

// pollEvery is how often the API is asked for new events.
const pollEvery = time.Second

// forwardTime bounds a forwarded webhook; a program that is stopped in a debugger may take longer than a
// receiver in earnest.
const forwardTime = time.Minute

// ListenToEvents prints and forwards an application's events as they happen, until the context ends.
func ListenToEvents(ctx context.Context, o ListenOptions) error {
	creds, err := client.LoadCredentials(o.Credentials)
	if err != nil {
		return err
	}
	key, err := base64.StdEncoding.DecodeString(creds.EncryptionKey)
	if err != nil {
		return errors.New("the encryption key of the credentials is not base64")
	}
	// Forwarding goes to the developer's own program: no guard, and no redirects.
	forwarder := &http.Client{Timeout: forwardTime, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	l := &listening{options: o, creds: creds, key: key, http: forwarder}
	if o.Listen != "" {
		return l.receive(ctx)
	}
	return l.poll(ctx)
}

type listening struct {
	options ListenOptions
	creds   client.Credentials
	key     []byte
	http    *http.Client
	mu      sync.Mutex // one line at a time
}

// poll reads the events from the API.
func (l *listening) poll(ctx context.Context) error {
	c, err := client.New(l.creds, client.WithRetry(client.NoRetry()))
	if err != nil {
		return err
	}
	defer c.Close()
	feed := &feed{client: c, seen: map[string]time.Time{}}
	for first := true; ; {
		fresh, err := feed.next(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && first:
			return err // a mistake in the credentials, more likely than not
		case err != nil:
			fmt.Fprintln(l.options.Warnings, "the events could not be read; it is tried again:", err)
		case !first:
			for _, event := range fresh {
				l.pass(ctx, event)
			}
		}
		if err == nil {
			first = false
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pollEvery):
		}
	}
}

// pass prints an event that was read, and forwards it as the platform would post it.
func (l *listening) pass(ctx context.Context, raw json.RawMessage) {
	var event client.Event
	if err := json.Unmarshal(raw, &event); err != nil {
		fmt.Fprintln(l.options.Warnings, "an event could not be read:", err)
		return
	}
	header := http.Header{}
	webhooks.Sign(header, event.ID, raw, [][]byte{l.key}, time.Now())
	_, outcome := l.forward(ctx, header, raw)
	l.print(&event, outcome)
}

// receive takes webhooks at an address of its own.
func (l *listening) receive(ctx context.Context) error {
	listener, err := net.Listen("tcp", l.options.Listen)
	if err != nil {
		return fmt.Errorf("webhooks cannot be received at %s (%w): choose another address with --listen", l.options.Listen, cause(err))
	}
	server := &http.Server{Handler: http.HandlerFunc(l.take), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	fmt.Fprintf(l.options.Warnings, "listening at http://%s/\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// mostWebhook bounds a webhook's body, in bytes.
const mostWebhook = 64 << 20

// take verifies, prints and forwards a webhook, and answers as the program did, so that the platform tries
// again what that did not take.
func (l *listening) take(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostWebhook))
	if err != nil {
		http.Error(w, "the body could not be read", http.StatusBadRequest)
		return
	}
	event, err := client.VerifyWebhook(l.creds.EncryptionKey, r.Header, body, 0, time.Now())
	if err != nil {
		fmt.Fprintln(l.options.Warnings, "refused:", err)
		http.Error(w, "the webhook is not the platform's", http.StatusUnauthorized)
		return
	}
	status, outcome := l.forward(r.Context(), r.Header, body)
	l.print(event, outcome)
	w.WriteHeader(status)
}

// forward posts a webhook to the program, byte for byte, and gives what it answered.
func (l *listening) forward(ctx context.Context, header http.Header, body []byte) (status int, outcome string) {
	if l.options.ForwardTo == "" {
		return http.StatusNoContent, ""
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, l.options.ForwardTo, bytes.NewReader(body))
	if err != nil {
		return http.StatusBadGateway, "not forwarded: " + err.Error()
	}
	for name, values := range header {
		if name != "Content-Length" && name != "Connection" && name != "Host" {
			request.Header[name] = values
		}
	}
	start := time.Now()
	answer, err := l.http.Do(request)
	if err != nil {
		return http.StatusBadGateway, "not forwarded: " + cause(err).Error()
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<20)) // for the connection's sake
	return answer.StatusCode, fmt.Sprintf("forwarded: %d in %s", answer.StatusCode, time.Since(start).Round(time.Millisecond))
}

func (l *listening) print(e *client.Event, outcome string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var about struct{ ID, Status string }
	_ = json.Unmarshal(e.Data.Object, &about) // some objects have no id
	fmt.Fprintln(l.options.Out, joined(e.CreatedAt.UTC().Format(time.RFC3339), e.ID, e.Type, about.ID, about.Status, outcome))
}

// joined leaves out the parts that are empty.
func joined(parts ...string) string {
	var b bytes.Buffer
	for _, part := range parts {
		if part != "" {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(part)
		}
	}
	return b.String()
}
