package files

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"idplatform/catalog"
	"idplatform/errs"
	"idplatform/models"
)

// fetchers bounds how many files of one result are read at a time.
const fetchers = 8

// Show puts into a stored JSON result what its file references stand for: url and expires_at under signed_url
// delivery, signed at this moment, and data under base64. A result without files comes back as it is, the
// same slice. Of a file that is no longer there the data is empty, as its URL would lead nowhere.
//
// It fails with errs.RegistryUnavailable when a file cannot be read now, and with errs.InternalError on a
// reference that no service stores.
func (f *Files) Show(ctx context.Context, stored []byte) ([]byte, error) {
	if !bytes.Contains(stored, marker) {
		return stored, nil
	}
	var few [16]member
	members, err := membersOf(stored, few[:0])
	if err != nil {
		return nil, errs.Internal(err)
	}
	if len(members) == 0 {
		return stored, nil
	}
	contents, err := f.contents(ctx, members)
	if err != nil {
		return nil, err
	}
	return f.fill(stored, members, contents), nil
}

// contents reads the files under base64 delivery, each in the place of its member.
func (f *Files) contents(ctx context.Context, members []member) ([][]byte, error) {
	var contents [][]byte
	var group *errgroup.Group
	for i, m := range members {
		if m.delivery != catalog.Base64 {
			continue
		}
		if group == nil {
			contents = make([][]byte, len(members))
			group, ctx = errgroup.WithContext(ctx)
			group.SetLimit(fetchers)
		}
		group.Go(func() error {
			content, err := f.open(ctx, m.ref)
			if errors.Is(err, errGone) {
				return nil
			}
			if err != nil {
				return fmt.Errorf("read a file of a result: %w", err)
			}
			contents[i] = content.Bytes
			return nil
		})
	}
	if group == nil {
		return nil, nil
	}
	if err := group.Wait(); err != nil {
		return nil, errs.From(err)
	}
	return contents, nil
}

// fill writes the result with its members replaced.
func (f *Files) fill(stored []byte, members []member, contents [][]byte) []byte {
	end := models.At(f.now().Add(f.lifetime))
	expires := `","expires_at":"` + end.String()
	size := len(stored)
	for i, m := range members {
		if m.delivery == catalog.Base64 {
			size += len(`"data":""`) + base64.StdEncoding.EncodedLen(len(contents[i]))
		} else {
			size += len(f.urlStart) + signedLength(m.ref) + len(expires) + 1
		}
	}
	out, at := make([]byte, 0, size), 0
	for i, m := range members {
		out = append(out, stored[at:m.from]...)
		if m.delivery == catalog.Base64 {
			out = append(out, `"data":"`...)
			out = base64.StdEncoding.AppendEncode(out, contents[i])
			contents[i] = nil
		} else {
			out = f.signer.sign(append(out, f.urlStart...), end, m.ref)
			out = append(out, expires...)
		}
		out = append(out, '"')
		at = m.to
	}
	return append(out, stored[at:]...)
}
