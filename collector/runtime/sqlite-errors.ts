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

/** Why the collector stopped, with what to do about it where a person can do something. */
export function explainStop(error: Error, folder: string): string {
  if (isMissingBinding(error)) return explainMissingBinding()
  const advice = adviceFor(error, folder)
  return advice === null ? error.message : `${advice} (${error.message})`
}

function adviceFor(error: Error, folder: string): string | null {
  if (isIoError(error))
    return `the disk that holds ${folder} is full or fails: free space on it, check it, or set WAYSTATION_DATA to another folder`
  if (isDiskFull(error))
    return `the disk that holds ${folder} is full: free space on it, or set WAYSTATION_DATA to another folder`
  if (isReadOnly(error)) return explainReadOnly(folder)
  if (isLocked(error))
    return `another program holds a database in ${folder} locked: close it (a database browser, a backup), then start again`
  return isDamage(error) ? explainDamage(error, folder) : null
}

function explainReadOnly(folder: string): string {
  const name = ['spool.db', 'telemetry.db', 'lock.db'].find((file) => isFolder(join(folder, file)))
  return name === undefined
    ? `${folder} cannot be written: fix its permissions, or set WAYSTATION_DATA to another folder`
    : `${join(folder, name)} is a folder where a file belongs: move it to another place`
}

function explainDamage({ message }: Error, folder: string): string {
  if (message.startsWith('spool.db'))
    return `${join(folder, 'spool.db')} is damaged: put back a copy, or move it and telemetry.db to another place to start with an empty folder; envelopes that were not relayed yet are in it`
  return `a database in ${folder} is damaged: delete telemetry.db, which is rebuilt from spool.db; if that does not help, spool.db is damaged: put back a copy, or move it to another place`
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
