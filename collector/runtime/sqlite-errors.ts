import { statSync } from 'node:fs'
import { join } from 'node:path'
import { explainMissingBinding, isMissingBinding } from './native-binding'

/** Errors differ by `code`: messages change between versions and quote text of callers. */
export function codeOf(error: unknown): string | null {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null
  return typeof code === 'string' ? code : null
}

const matches = (error: unknown, exact: readonly string[], families: readonly string[]): boolean => {
  const code = codeOf(error)
  return (
    code !== null && (exact.includes(code) || families.some((name) => code === name || code.startsWith(`${name}_`)))
  )
}

/** The system refused to read or write: the disk fails, or a quota is used up. */
export const isIoError = (error: unknown): boolean =>
  matches(error, [], ['SQLITE_IOERR']) && codeOf(error) !== 'SQLITE_IOERR_CORRUPTFS'

export const isDiskFull = (error: unknown): boolean =>
  matches(error, ['ENOSPC', 'EDQUOT'], ['SQLITE_FULL']) || isIoError(error)

/** The file or its folder cannot be opened or written: permissions, a read-only mount, a folder in the file's place. */
export const isReadOnly = (error: unknown): boolean =>
  matches(error, ['EROFS', 'EACCES', 'EPERM'], ['SQLITE_READONLY', 'SQLITE_CANTOPEN', 'SQLITE_PERM'])

export const isLocked = (error: unknown): boolean => matches(error, [], ['SQLITE_BUSY'])

/** Pages contradict each other, or it is no database. A damaged full-text index has the code SQLITE_CORRUPT_VTAB. */
export const isDamage = (error: unknown): boolean =>
  matches(error, ['SQLITE_IOERR_CORRUPTFS'], ['SQLITE_CORRUPT', 'SQLITE_NOTADB'])

/** A statement names a table or a column that the file does not have (any more). */
export const isMissingTable = (error: unknown): error is Error =>
  codeOf(error) === 'SQLITE_ERROR' && error instanceof Error && /^no such (?:table|column)\b/.test(error.message)

/**
 * The record (`spool.db`) is damaged. It cannot be rebuilt. Has no SQLite code: a query that meets a damaged page must
 * not stop the collector, which still delivers what is intact. Errors keep only their name when they cross threads.
 */
export class SpoolDamagedError extends Error {
  static readonly NAME = 'SpoolDamagedError'

  constructor(cause: Error) {
    super(`spool.db: ${cause.message}`)
    this.name = SpoolDamagedError.NAME
  }
}

/** The disk has no space that may be used; thrown before SQLite would meet the end of it. */
export class DiskFullError extends Error {
  readonly code = 'ENOSPC'

  constructor(message: string) {
    super(message)
    this.name = 'DiskFullError'
  }
}

/** A check found damage that SQLite itself did not report. */
export class DatabaseDamagedError extends Error {
  readonly code = 'SQLITE_CORRUPT'

  constructor(message: string) {
    super(message)
    this.name = 'DatabaseDamagedError'
  }
}

/**
 * Why the collector stopped, with what to do about it where a person can do something.
 * @param isMirror the folder has a copy of a shared record, so nothing is lost with it
 */
export function explainStop(error: Error, folder: string, isMirror: boolean): string {
  if (isMissingBinding(error)) return explainMissingBinding()
  const advice = adviceFor(error, folder, isMirror)
  return advice === null ? error.message : `${advice} (${error.message})`
}

function adviceFor(error: Error, folder: string, isMirror: boolean): string | null {
  if (isIoError(error))
    return `the disk that holds ${folder} is full or fails: free space on it, check it, or set WAYSTATION_DATA to another folder`
  if (isDiskFull(error))
    return `the disk that holds ${folder} is full: free space on it, or set WAYSTATION_DATA to another folder`
  if (isReadOnly(error)) return explainReadOnly(folder)
  if (isLocked(error))
    return `another program holds a database in ${folder} locked: close it (a database browser, a backup), then start again`
  return isDamage(error) || error.name === SpoolDamagedError.NAME ? explainDamage(folder, isMirror) : null
}

function explainReadOnly(folder: string): string {
  const name = ['spool.db', 'telemetry.db', 'telemetry.next.db', 'lock.db']
    .flatMap((file) => [file, `${file}-wal`, `${file}-shm`])
    .find((file) => isFolder(join(folder, file)))
  return name === undefined
    ? `${folder} cannot be written: fix its permissions, or set WAYSTATION_DATA to another folder`
    : `${join(folder, name)} is a folder where a file belongs: move it to another place`
}

/** Damage of the index never stops the collector, so it is damage of the record. */
const explainDamage = (folder: string, isMirror: boolean): string =>
  isMirror
    ? `${join(folder, 'spool.db')} is damaged: ${mirrorRemedy(folder)}`
    : `${join(folder, 'spool.db')} is damaged: put back a copy, or run ${salvageCommand(folder)} and start with the new folder; envelopes that were not relayed yet are in it`

/** For a data folder whose record is a copy of a shared one. */
export const mirrorRemedy = (folder: string): string =>
  `it is a mirror of the shared record, so delete the folder ${folder}, and start again`

/** The command that copies the readable part of a data folder to a new one. */
export const salvageCommand = (folder: string): string => `waystation salvage ${folder} --to NEW_FOLDER`

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
