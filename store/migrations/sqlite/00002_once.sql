-- +goose Up
CREATE TABLE idempotency_keys (
    application_id TEXT NOT NULL,
    key            BLOB NOT NULL,
    fingerprint    BLOB NOT NULL,
    holder         TEXT NOT NULL,
    locked_until   BIGINT NOT NULL,
    answer         BLOB,
    expires_at     BIGINT NOT NULL,
    PRIMARY KEY (application_id, key)
) WITHOUT ROWID;
CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at);
ALTER TABLE audit_entries ADD COLUMN seq BIGINT;
ALTER TABLE audit_entries ADD COLUMN hash BLOB;
CREATE UNIQUE INDEX audit_entries_seq ON audit_entries (seq) WHERE seq IS NOT NULL;
CREATE INDEX audit_entries_unsealed ON audit_entries (id) WHERE seq IS NULL;
CREATE INDEX audit_entries_application ON audit_entries (application_id, id);
CREATE TABLE audit_heads (
    day       TEXT PRIMARY KEY,
    seq       BIGINT NOT NULL,
    hash      BLOB NOT NULL,
    signature BLOB NOT NULL
);
CREATE TABLE leases (
    name   TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    until  BIGINT NOT NULL
);

-- +goose Down
DROP TABLE leases;
DROP TABLE audit_heads;
DROP INDEX audit_entries_application;
DROP INDEX audit_entries_unsealed;
DROP INDEX audit_entries_seq;
ALTER TABLE audit_entries DROP COLUMN hash;
ALTER TABLE audit_entries DROP COLUMN seq;
DROP TABLE idempotency_keys;
