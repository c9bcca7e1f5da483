package files

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

const (
	// s3Attempts and s3Patience bound one operation: a caller waits for it.
	s3Attempts = 3
	s3Patience = 15 * time.Second

	s3Amazon = "https://s3.amazonaws.com"
	s3Region = "us-east-1" // what services other than Amazon's call theirs, if anything
)

// s3 keeps sealed values in a bucket of Amazon S3 or of a service that speaks like it.
type s3 struct {
	client       minio.Core
	name, prefix string
}

func openS3(ctx context.Context, u *url.URL) (*s3, error) {
	endpoint, region, err := s3Place(u)
	if err != nil {
		return nil, err
	}
	client, err := minio.NewCore(endpoint.Host, &minio.Options{
		Secure: endpoint.Scheme == "https", Region: region, MaxRetries: s3Attempts,
		Creds: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.EnvMinio{}, &credentials.FileAWSCredentials{}, &credentials.IAM{},
		}),
	})
	if err != nil {
		return nil, err
	}
	b := &s3{client: *client, name: u.Host, prefix: strings.TrimPrefix(u.Path, "/")}
	if b.prefix != "" && !strings.HasSuffix(b.prefix, "/") {
		b.prefix += "/"
	}
	ctx, cancel := context.WithTimeout(ctx, s3Patience)
	defer cancel()
	found, err := client.BucketExists(ctx, b.name)
	if err == nil && !found {
		err = errors.New("there is no such bucket")
	}
	if err != nil {
		return nil, fmt.Errorf("bucket %s at %s: %w", b.name, endpoint.Host, err)
	}
	return b, nil
}

// s3Place reads endpoint and region from the URL's query.
func s3Place(u *url.URL) (endpoint *url.URL, region string, err error) {
	if u.Host == "" || u.User != nil {
		return nil, "", errors.New("give a bucket as s3://bucket?endpoint=https://host, and its credentials in the environment")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, "", errors.New("the query of the bucket's URL cannot be read")
	}
	at := s3Amazon
	for key, values := range query {
		switch key {
		case "endpoint":
			at = values[0]
		case "region":
			region = values[0]
		default:
			return nil, "", fmt.Errorf("%q is unknown in a bucket's URL: use endpoint and region", key)
		}
	}
	endpoint, err = url.Parse(at)
	if err != nil || endpoint.Host == "" || (endpoint.Scheme != "https" && endpoint.Scheme != "http") || strings.Trim(endpoint.Path, "/") != "" {
		return nil, "", fmt.Errorf("endpoint is %q: give scheme and host, such as https://s3.example.cd", at)
	}
	if region == "" && at != s3Amazon {
		region = s3Region
	}
	return endpoint, region, nil
}

func (b *s3) put(ctx context.Context, key string, sealed []byte) error {
	ctx, cancel := context.WithTimeout(ctx, s3Patience)
	defer cancel()
	sum := sha256.Sum256(sealed)
	_, err := b.client.PutObject(ctx, b.name, b.prefix+key, bytes.NewReader(sealed), int64(len(sealed)), "",
		hex.EncodeToString(sum[:]), minio.PutObjectOptions{ContentType: "application/octet-stream", DisableContentSha256: true})
	return s3Fault(err)
}

func (b *s3) get(ctx context.Context, key string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, s3Patience)
	defer cancel()
	body, _, _, err := b.client.GetObject(ctx, b.name, b.prefix+key, minio.GetObjectOptions{})
	if err != nil {
		return nil, s3Fault(err)
	}
	defer func() { _ = body.Close() }() // it was only read
	sealed, err := io.ReadAll(io.LimitReader(body, sealedMax))
	return sealed, s3Fault(err)
}

func (b *s3) remove(ctx context.Context, key string) error {
	ctx, cancel := context.WithTimeout(ctx, s3Patience)
	defer cancel()
	if err := s3Fault(b.client.RemoveObject(ctx, b.name, b.prefix+key, minio.RemoveObjectOptions{})); !errors.Is(err, ErrNoFile) {
		return err
	}
	return nil
}

func (b *s3) close() error { return nil }

// s3Fault is ErrNoFile for a missing object, an error of ours for what the service refuses, and
// ErrUnreachable for everything that may pass.
func s3Fault(err error) error {
	if err == nil {
		return nil
	}
	answer := minio.ToErrorResponse(err)
	switch {
	case answer.Code == minio.NoSuchKey:
		return ErrNoFile
	case answer.StatusCode >= 400 && answer.StatusCode < 500 && answer.StatusCode != http.StatusTooManyRequests:
		return fmt.Errorf("the bucket refuses: %s: %s", answer.Code, answer.Message)
	default:
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
}
