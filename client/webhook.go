package client

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"idplatform/platform/wire"
)

// What is wrong with a webhook.
var (
	// ErrWebhookSignature is a webhook whose signature is missing or not the platform's.
	ErrWebhookSignature = errors.New("the webhook's signature is not the platform's")
	// ErrWebhookTimestamp is a webhook that is older, or further ahead, than tolerated: perhaps a replay.
	ErrWebhookTimestamp = errors.New("the webhook's timestamp is too far from the clock")
)

// VerifyWebhook checks that a delivery comes from the platform and is fresh, and gives its event. body is the
// request's body byte for byte. encryptionKey is Credentials.EncryptionKey; while keys rotate, try the new
// one and then the old. tolerance is how far the timestamp may be from now; 0 is five minutes.
//
// It fails with ErrWebhookSignature or ErrWebhookTimestamp, or when key or body is malformed. Answer with any
// 2xx within 5 seconds; deliveries repeat, so remember the ids of events.
func VerifyWebhook(
	encryptionKey string, header http.Header, body []byte, tolerance time.Duration, now time.Time,
) (*Event, error) {
	key, err := decodeSecret(encryptionKey)
	if err != nil {
		return nil, fmt.Errorf("the encryption key %w", err)
	}
	timestamp := header.Get(wire.HeaderWebhookTimestamp)
	if !wire.VerifyWebhook(key, timestamp, body, header.Get(wire.HeaderWebhookSignature)) {
		return nil, ErrWebhookSignature
	}
	if tolerance == 0 {
		tolerance = wire.Window
	}
	sent, ok := wire.ParseTimestamp(timestamp)
	if !ok || now.Sub(sent).Abs() > tolerance {
		return nil, ErrWebhookTimestamp
	}
	event, err := Decode[Event](body)
	if err != nil {
		return nil, err
	}
	// The header is not signed; only the id in the body may be used to tell repeated deliveries.
	if id := header.Get(wire.HeaderWebhookID); id != "" && id != event.ID {
		return nil, fmt.Errorf("%w: %s is not the event's id", ErrWebhookSignature, wire.HeaderWebhookID)
	}
	return event, nil
}
