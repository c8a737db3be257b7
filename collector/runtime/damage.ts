/** SQLite's words for a file whose pages contradict each other, or that is no database at all; and those of FTS5. */
const WORDS = /disk image is malformed|file is not a database|SQLITE_CORRUPT|SQLITE_NOTADB|fts5: corruption/i

/** Errors cross threads by their message, so it is what is looked at. */
export const isDamage = (error: { readonly message: string }): boolean => WORDS.test(error.message)

/** And for a file that another program holds for itself. */
const LOCKED = /database is locked|SQLITE_BUSY/i

export const isLocked = (error: { readonly message: string }): boolean => LOCKED.test(error.message)
