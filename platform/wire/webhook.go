package wire

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
)

// The headers of a webhook (specification, Events, Delivery).
const (
	HeaderWebhookID        = "X-Platform-Webhook-Id"
	HeaderWebhookTimestamp = "X-Platform-Webhook-Timestamp"
	HeaderWebhookSignature = "X-Platform-Webhook-Signature"
)

// SignWebhook is the lower-case hex HMAC-SHA256 of "<timestamp>.<raw body>" under the application's
// encryption key of 32 bytes.
func SignWebhook(encryptionKey []byte, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, encryptionKey)
	mac.Write([]byte(timestamp))
	mac.Write([]byte{'.'})
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// VerifyWebhook compares a webhook's signature in constant time. The caller judges the timestamp's age.
func VerifyWebhook(encryptionKey []byte, timestamp string, body []byte, signature string) bool {
	return hmac.Equal([]byte(SignWebhook(encryptionKey, timestamp, body)), []byte(signature))
}

// SignStandardWebhook is a signature after the Standard Webhooks convention: "v1," and the base64
// HMAC-SHA256 of "<id>.<timestamp>.<raw body>".
func SignStandardWebhook(encryptionKey []byte, id, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, encryptionKey)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
