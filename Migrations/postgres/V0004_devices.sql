-- Tokens of devices, on which a person has logged in. Once released this file is never edited.

ALTER TABLE tokens DROP CONSTRAINT tokens_kind_check;
ALTER TABLE tokens ADD CONSTRAINT tokens_kind_check CHECK (kind IN ('session', 'access', 'reset', 'device'));
