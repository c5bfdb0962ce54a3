-- What would have to be counted at each login, counted at each write. Once released this file is never edited.

-- The rows of `throttles` whose name no profile has; the oldest go when there are too many.
ALTER TABLE store ADD COLUMN unknown_throttles INTEGER NOT NULL DEFAULT 0 CHECK (unknown_throttles >= 0);

-- The profiles whose password the rules in force have not judged: it was brought as a hash, or set under other rules.
ALTER TABLE store ADD COLUMN unjudged_passwords INTEGER NOT NULL DEFAULT 0 CHECK (unjudged_passwords >= 0);
