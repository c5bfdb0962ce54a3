-- What watchers are told, and whether the store has greeted anyone. Once released this file is never edited.

-- The newest changes, oldest first and without a gap. Neither names nor values: what is removed must not stay here.
--
-- `store.change_number` is the number of the newest change. Since this migration a commit of an import that both adds
-- and updates profiles counts as two changes; every other one that changes profiles or the schema counts as one.
CREATE TABLE changes (
    number INTEGER PRIMARY KEY CHECK (number > 0),
    kind TEXT NOT NULL CHECK (kind IN ('registered', 'edited', 'removed', 'imported', 'updated', 'adopted')),
    -- The profiles that it is about, or, when some of many were updated, the range of ids in which they lie.
    first_profile_id INTEGER,
    last_profile_id INTEGER CHECK (last_profile_id >= first_profile_id),
    changed_at INTEGER NOT NULL,
    CHECK ((kind = 'adopted') = (first_profile_id IS NULL)),
    CHECK ((first_profile_id IS NULL) = (last_profile_id IS NULL))
) STRICT;

-- 1 once the welcome notice was shown.
ALTER TABLE store ADD COLUMN is_welcomed INTEGER NOT NULL DEFAULT 0 CHECK (is_welcomed IN (0, 1));
