package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/url"
	"regexp"
	"strings"

	"idplatform/platform/vault"
)

// MaxSize bounds a stored file.
const MaxSize = 16 << 20

const (
	tableFiles = "files"
	// sealedMax bounds what is read back: a file, its media type and what sealing adds.
	sealedMax = MaxSize + 1024
	maxType   = 256
)

// What Put fails with besides ErrUnreachable.
var (
	// ErrReference: the reference cannot be one of the store's. Those are one to eight names of letters,
	// digits, "_" and "-", joined by "/", and the first name is not "register".
	ErrReference = errors.New("this is no reference to a stored file")
	// ErrTooLarge: the file exceeds MaxSize.
	ErrTooLarge = fmt.Errorf("a stored file has at most %d bytes", MaxSize)
	// ErrContentType: the content type is not a media type.
	ErrContentType = errors.New("the content type of a stored file is not a media type")
)

// Store keeps the platform's own files, such as evidence, in a folder or a bucket. Each is sealed with the
// vault for its reference, media type and all, so that whoever reads the folder or the bucket learns sizes
// and references and nothing else: a reference must not name a person.
type Store struct {
	vault  *vault.Vault
	bucket bucket
}

// bucket keeps sealed values. get of an unknown key fails with ErrNoFile, remove of one does nothing; a bucket that
// gives no answer fails with ErrUnreachable.
type bucket interface {
	put(ctx context.Context, key string, sealed []byte) error
	get(ctx context.Context, key string) ([]byte, error)
	remove(ctx context.Context, key string) error
	close() error
}

// NewStore opens the store at a URL: file:///var/lib/platform/files (created for its owner alone where it is
// not there) or s3://bucket/prefix?endpoint=https://host:port&region=name. A bucket must exist and answer; its
// credentials come from the environment (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or MINIO_…), the shared
// AWS credentials file, or the machine's role.
func NewStore(ctx context.Context, v *vault.Vault, location string) (*Store, error) {
	u, err := url.Parse(location)
	if err != nil {
		return nil, errors.New("the file store's URL cannot be read: use file:///folder or s3://bucket")
	}
	var b bucket
	switch u.Scheme {
	case "file":
		b, err = openFolder(u)
	case "s3":
		b, err = openS3(ctx, u)
	default:
		return nil, fmt.Errorf("the file store's URL begins with %q: use file:///folder or s3://bucket", u.Scheme)
	}
	if err != nil {
		return nil, fmt.Errorf("open the file store: %w", err)
	}
	return &Store{vault: v, bucket: b}, nil
}

var reference = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}(/[A-Za-z0-9_-]{1,128}){0,7}$`)

// kept reports whether a reference can be one of the store's.
func kept(ref string) bool {
	return len(ref) <= maxRef && reference.MatchString(ref) && !strings.HasPrefix(ref+"/", registerRoot)
}

// Put stores a file, in the place of an earlier one of this reference.
func (s *Store) Put(ctx context.Context, ref, contentType string, r io.Reader) error {
	if !kept(ref) {
		return ErrReference
	}
	if _, _, err := mime.ParseMediaType(contentType); err != nil || len(contentType) > maxType || strings.Contains(contentType, "\n") {
		return ErrContentType
	}
	content, err := io.ReadAll(io.LimitReader(r, MaxSize+1))
	if err != nil {
		return fmt.Errorf("read a file to store: %w", err)
	}
	if len(content) > MaxSize {
		return ErrTooLarge
	}
	plain := append(append(make([]byte, 0, len(contentType)+1+len(content)), contentType+"\n"...), content...)
	return s.bucket.put(ctx, ref, s.vault.Seal(tableFiles, ref, plain))
}

// Open implements Source. A file that was altered or moved fails with vault.ErrUnsealable.
func (s *Store) Open(ctx context.Context, ref string) (Content, error) {
	if !kept(ref) {
		return Content{}, ErrNoFile
	}
	sealed, err := s.bucket.get(ctx, ref)
	if err != nil {
		return Content{}, err
	}
	plain, err := s.vault.Open(ctx, tableFiles, ref, sealed)
	if err != nil {
		return Content{}, fmt.Errorf("open a stored file: %w", err)
	}
	contentType, content, _ := bytes.Cut(plain, []byte("\n"))
	return Content{Type: string(contentType), Bytes: content}, nil
}

// Delete removes a file; one that is not there is no error.
func (s *Store) Delete(ctx context.Context, ref string) error {
	if !kept(ref) {
		return ErrReference
	}
	return s.bucket.remove(ctx, ref)
}

// Close gives back what the store holds open.
func (s *Store) Close() error { return s.bucket.close() }
