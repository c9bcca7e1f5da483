-- +goose Up
-- What a lookup without scopes answers with; `change` is 0 or the citizen's place in the record of changes.
CREATE TABLE register_citizens (
    id                 INTEGER PRIMARY KEY,
    platform_id        TEXT    NOT NULL,
    status             TEXT    NOT NULL,
    certified          BOOLEAN NOT NULL,
    created_at         BIGINT  NOT NULL,
    level_of_assurance TEXT    NOT NULL,
    full_name          TEXT    NOT NULL,
    first_name         TEXT    NOT NULL,
    last_name          TEXT    NOT NULL,
    date_of_birth      TEXT    NOT NULL,
    gender             TEXT    NOT NULL,
    nationality        TEXT    NOT NULL,
    change             BIGINT  NOT NULL DEFAULT 0
);
CREATE INDEX register_citizens_change ON register_citizens (change) WHERE change > 0;

-- The official numbers; value first, since lookups ask by value and a value rarely stands under two types.
CREATE TABLE register_identifiers (
    value      TEXT    NOT NULL,
    type       TEXT    NOT NULL,
    citizen_id INTEGER NOT NULL REFERENCES register_citizens (id),
    PRIMARY KEY (value, type)
) WITHOUT ROWID;
CREATE INDEX register_identifiers_citizen ON register_identifiers (citizen_id);

-- The additional blocks of a citizen, apart so that a lookup without scopes never touches their pages.
CREATE TABLE register_blocks (
    citizen_id INTEGER PRIMARY KEY REFERENCES register_citizens (id),
    blocks     TEXT    NOT NULL
);

-- Counters: how many citizens the synthetic population has, the last place in the record of changes.
CREATE TABLE register_counters (
    name  TEXT   PRIMARY KEY,
    value BIGINT NOT NULL
) WITHOUT ROWID;
INSERT INTO register_counters (name, value) VALUES ('population', 0), ('identities', 0), ('change', 0);

-- +goose Down
DROP TABLE register_counters;
DROP TABLE register_blocks;
DROP TABLE register_identifiers;
DROP TABLE register_citizens;
