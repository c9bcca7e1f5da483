package e2etest

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// manyBytes is a text longer than anybody expects.
var manyBytes = strings.Repeat("é", 70_000)

// hostile is a value that programs have stumbled over: a fresh one, for it may be altered in its turn.
func hostile(r *rand.Rand) any {
	return pick(r, []any{
		nil, true, false, 0, -1, 1e308, 18.5, 1 << 53, "", " ", "null", "0", "\x00", "a\x00b", "\u2028", "\ufeff", "\u202e", "\ufffd", "💥", "ß", "İ",
		"' OR '1'='1' --", `"; DROP TABLE results; --`, "${jndi:ldap://x}", "{{7*7}}", "%s%n%d", "../../etc/passwd", "<script>", "\r\nX: y", "\\", `\u0000`,
		"2023-02-29", "0000-00-00", "9999-12-31", "-1-01-01", "COD-0000-0000-0000", "platform_id", "customer_onboarding", "signed_url",
		strings.Repeat("A", 300), manyBytes, []any{}, []any{nil}, []any{[]any{[]any{}}}, map[string]any{}, map[string]any{"": ""}, map[string]any{"$ref": "#"},
		json.Number("1e400"), json.Number("-0"), json.Number("1E+2"), json.Number("0.1e1"), json.Number("123456789012345678901234567890"),
	}...)
}

// MutateValue alters one place of a JSON value.
func MutateValue(r *rand.Rand, value any) any {
	switch v := value.(type) {
	case map[string]any:
		return mutateObject(r, v)
	case []any:
		if len(v) > 0 && r.IntN(3) > 0 {
			i := r.IntN(len(v))
			v[i] = MutateValue(r, v[i])
			return v
		}
		if r.IntN(2) == 0 {
			return append(v, v...)
		}
	case string:
		if len(v) > 0 && r.IntN(2) == 0 {
			return mutateText(r, v)
		}
	}
	return hostile(r)
}

func mutateObject(r *rand.Rand, v map[string]any) any {
	names := make([]string, 0, len(v))
	for name := range v {
		names = append(names, name)
	}
	slices.Sort(names)
	switch chance := r.IntN(10); {
	case len(names) == 0 || chance == 0:
		return hostile(r)
	case chance == 1:
		delete(v, pick(r, names...))
	case chance == 2:
		v[mutateText(r, pick(r, names...))] = hostile(r)
	case chance == 3:
		name := pick(r, names...)
		v[mutateText(r, name)] = v[name]
		delete(v, name)
	default:
		name := pick(r, names...)
		v[name] = MutateValue(r, v[name])
	}
	return v
}

// mutateText alters a text by a character or so.
func mutateText(r *rand.Rand, s string) string {
	runes := []rune(s)
	i := r.IntN(len(runes) + 1)
	switch r.IntN(6) {
	case 0:
		return string(runes[:i])
	case 1:
		return string(runes[:i]) + pick(r, "\x00", " ", "\u00a0", "-", "é", "\u0301", "\n", "%", "'", `"`, "\\") + string(runes[i:])
	case 2:
		return strings.ToUpper(s)
	case 3:
		return s + s
	case 4:
		return strings.ToLower(s)
	}
	return string(runes[i:]) + string(runes[:i])
}

// MutateBytes alters the bytes of a body.
func MutateBytes(r *rand.Rand, body []byte) []byte {
	body = slices.Clone(body)
	if len(body) == 0 {
		return []byte(pick(r, "{", "[]", "\xff", "\x00", "nul", `"`))
	}
	i := r.IntN(len(body))
	switch r.IntN(7) {
	case 0:
		body[i] ^= 1 << r.IntN(8)
	case 1:
		return body[:i]
	case 2:
		return slices.Insert(body, i, []byte(pick(r, "\x00", "\xff\xfe", `\ud800`, `"`, "{", "]", ",", `\u00`, "/**/", "NaN", "1e999"))...)
	case 3:
		return append(body, body[i:]...)
	case 4:
		j := i + r.IntN(len(body)-i)
		return slices.Delete(body, i, j)
	case 5:
		return slices.Insert(body, i, []byte(strings.Repeat("[", 1+r.IntN(20_000)))...)
	case 6:
		return []byte(strings.Replace(string(body), `":`, `":1,"x`+strconv.Itoa(i)+`":`, 1))
	}
	return body
}

var signatureHeaders = []string{"X-Platform-Key-Id", "X-Platform-Timestamp", "X-Platform-Nonce", "X-Platform-Signature", "X-Platform-IV",
	"Idempotency-Key", "Prefer", "Content-Type"}

// MutateHeader alters a header line. Line ends are left out: they would make another request.
func (r *Request) MutateHeader(rng *rand.Rand) {
	name := pick(rng, signatureHeaders...)
	value := r.Get(name)
	switch rng.IntN(6) {
	case 0:
		r.Without(name)
	case 1:
		r.Add(name, value)
	case 2:
		r.Set(name, pick(rng, "", "0", "-1", "null", uuid.NewString(), "\xff\xfe", "é", "AAAAAAAAAAAAAAAA", strings.Repeat("9", 3000), "' OR 1=1"))
	case 3:
		r.Set(name, strings.NewReplacer("\n", "", "\r", "", "\x00", "").Replace(mutateText(rng, value)))
	case 4:
		r.Set(name, value+", "+value)
	case 5:
		r.Add(pick(rng, "X-Forwarded-For", "X-Forwarded-Client-Cert", "X-HTTP-Method-Override", "Accept-Encoding", "Range", "If-Match", "Authorization", "Cookie", "Upgrade"), pick(rng, "", "127.0.0.1", "gzip", "DELETE", "Bearer x", "bytes=0-1", "h2c"))
	}
}

// MutateTarget alters path or query. Escapes stay whole: a broken one does not get past the HTTP library.
func MutateTarget(r *rand.Rand, target string) string {
	switch r.IntN(7) {
	case 0:
		return target + "?" + pick(r, "a=b", "limit=-1", "limit=1e9", "cursor=%00", "cursor=%ff", "month=0", "&&&=", "a[]=1", "%zz", strings.Repeat("q", 3000))
	case 1:
		return target + "/" + pick(r, "", "x", "..", "%2e%2e", "%00", "batches", "results", "cancel", strings.Repeat("y", 3000))
	case 2:
		i := 1 + r.IntN(len(target)-1)
		return target[:i] + pick(r, "%00", "%ff", "%2f", "//", "'", ";", "%20", "~", "%f0%9f%92%a5", "*") + target[i:]
	case 3:
		i := 1 + r.IntN(len(target)-1)
		return target[:i] + target[i+1:]
	case 4:
		return strings.ToUpper(target)
	case 5:
		return strings.Replace(target, "v1", pick(r, "v0", "v2", "%761", "v1/v1"), 1)
	}
	return target[:1+r.IntN(len(target)-1)]
}
