/** SQLite's words for what people have to do something about, and what that is. */
const SENTENCES: readonly (readonly [RegExp, (folder: string) => string])[] = [
  [
    /disk is full|SQLITE_FULL|SQLITE_IOERR|ENOSPC/i,
    (folder) => `the disk that holds ${folder} is full: make room, or set WAYSTATION_DATA to another folder`,
  ],
  [
    /readonly database|unable to open database|SQLITE_READONLY|SQLITE_CANTOPEN|EROFS|EACCES|EPERM/i,
    (folder) => `${folder} cannot be written: mend its permissions, or set WAYSTATION_DATA to another folder`,
  ],
  [
    /not a database|malformed|SQLITE_NOTADB|SQLITE_CORRUPT/i,
    (folder) =>
      `a database in ${folder} is damaged: telemetry.db may be deleted, for it is made again from spool.db; a damaged spool.db is to be moved aside`,
  ],
]

/** Why the collector stopped, in one sentence that says what to do where there is something to do. */
export function explainStop(error: Error, folder: string): string {
  const known = SENTENCES.find(([pattern]) => pattern.test(error.message))
  return known === undefined ? error.message : `${known[1](folder)} (${error.message})`
}
