package vault_test

import (
	"bytes"
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/models"
	"idplatform/platform/vault"
)

var now = time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)

// keys is the table of data keys that the instances of a deployment share.
type keys struct {
	mu   sync.Mutex
	rows []models.DataKey
}

func (k *keys) List(context.Context) ([]models.DataKey, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]models.DataKey{}, k.rows...), nil
}

func (k *keys) Add(_ context.Context, key models.DataKey) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, row := range k.rows {
		if row.ID == key.ID {
			return nil
		}
	}
	k.rows = append(k.rows, key)
	return nil
}

func open(t *testing.T, k *keys, master byte, at time.Time) *vault.Vault {
	t.Helper()
	v, err := vault.Open(t.Context(), bytes.Repeat([]byte{master}, vault.KeySize), k, at)
	require.NoError(t, err)
	return v
}

func TestVault_OpensWhatItSealed(t *testing.T) {
	t.Parallel()
	v := open(t, &keys{}, 1, now)
	for _, plain := range [][]byte{{}, []byte("x"), bytes.Repeat([]byte{0}, 1<<20)} {
		sealed := v.Seal("results", "kyc_1", plain)
		again := v.Seal("results", "kyc_1", plain)
		require.NotEqual(t, sealed, again)
		got, err := v.Open(t.Context(), "results", "kyc_1", sealed)
		require.NoError(t, err)
		require.True(t, bytes.Equal(plain, got))
	}
}

// A value belongs to its row: anywhere else, or altered in any byte, it does not open.
func TestVault_ErrUnsealable(t *testing.T) {
	t.Parallel()
	v := open(t, &keys{}, 1, now)
	sealed := v.Seal("results", "kyc_1", []byte("plain"))
	for name, row := range map[string][2]string{"OtherRow": {"results", "kyc_2"}, "OtherTable": {"jobs", "kyc_1"}, "ShiftedBorder": {"results\nkyc", "1"}} {
		t.Run(name, func(t *testing.T) {
			_, err := v.Open(t.Context(), row[0], row[1], sealed)
			require.ErrorIs(t, err, vault.ErrUnsealable)
		})
	}
	for i := range sealed {
		altered := bytes.Clone(sealed)
		altered[i] ^= 0x80
		_, err := v.Open(t.Context(), "results", "kyc_1", altered)
		require.ErrorIs(t, err, vault.ErrUnsealable, "byte %d", i)
		_, err = v.Open(t.Context(), "results", "kyc_1", sealed[:i])
		require.ErrorIs(t, err, vault.ErrUnsealable, "cut at %d", i)
	}
	_, err := v.OpenCredential("results", "kyc_1", sealed)
	require.ErrorIs(t, err, vault.ErrUnsealable, "the master key opens no row")
}

func TestVault_KeysOfAnotherInstance(t *testing.T) {
	t.Parallel()
	shared := &keys{}
	first, second := open(t, shared, 1, now), open(t, shared, 1, now)
	require.Equal(t, first.Index("platform_id", "x"), second.Index("platform_id", "x"))

	due := now.Add(vault.Renewal + time.Minute)
	require.NoError(t, first.Refresh(t.Context(), due))
	require.Len(t, shared.rows, 3, "an index key and two sealing keys")
	sealed := first.Seal("results", "kyc_1", []byte("plain"))
	got, err := second.Open(t.Context(), "results", "kyc_1", sealed)
	require.NoError(t, err, "a key that another instance has made since is found")
	require.Equal(t, "plain", string(got))
	old := second.Seal("results", "kyc_2", []byte("old"))
	_, err = first.Open(t.Context(), "results", "kyc_2", old)
	require.NoError(t, err, "what was sealed before stays readable")
	require.NoError(t, second.Refresh(t.Context(), due))
	require.Len(t, shared.rows, 3, "two instances renew once")
}

// A key that is asked for renewal every hour stays far below the values that its random IVs allow.
func TestVault_RenewsAfterADay(t *testing.T) {
	t.Parallel()
	shared := &keys{}
	v := open(t, shared, 1, now)
	require.NoError(t, v.Refresh(t.Context(), now.Add(24*time.Hour)))
	require.Len(t, shared.rows, 2, "an index key and a sealing key")
	require.NoError(t, v.Refresh(t.Context(), now.Add(24*time.Hour+time.Second)))
	require.Len(t, shared.rows, 3)
	require.Less(t, 49_000*vault.Renewal.Seconds(), float64(1<<32))
}

func TestVault_StartedTogether(t *testing.T) {
	t.Parallel()
	shared := &keys{}
	var all sync.WaitGroup
	vaults := make([]*vault.Vault, 8)
	for i := range vaults {
		all.Go(func() {
			v, err := vault.Open(context.Background(), bytes.Repeat([]byte{1}, vault.KeySize), shared, now)
			if err == nil {
				vaults[i] = v
			}
		})
	}
	all.Wait()
	sealed := vaults[0].Seal("t", "1", []byte("x"))
	for _, v := range vaults {
		require.NotNil(t, v)
		require.Equal(t, vaults[0].Index("f", "v"), v.Index("f", "v"), "all agree on the one index key")
		_, err := v.Open(t.Context(), "t", "1", sealed)
		require.NoError(t, err)
	}
}

func TestVault_OtherMasterKey(t *testing.T) {
	t.Parallel()
	shared := &keys{}
	open(t, shared, 1, now)
	_, err := vault.Open(t.Context(), bytes.Repeat([]byte{2}, vault.KeySize), shared, now)
	require.ErrorContains(t, err, "master key")
	_, err = vault.Open(t.Context(), []byte("short"), &keys{}, now)
	require.Error(t, err)
}

func TestVault_IndexesTellFieldsApart(t *testing.T) {
	t.Parallel()
	v := open(t, &keys{}, 1, now)
	require.NotEqual(t, v.Index("a", "x"), v.Index("b", "x"))
	require.NotEqual(t, v.Index("a", "x"), v.Index("a", "y"))
	require.NotEqual(t, v.Index("a", "x"), open(t, &keys{}, 1, now).Index("a", "x"), "each deployment has its own")
}
