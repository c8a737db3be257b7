import { statSync } from 'node:fs'
import { join } from 'node:path'
import { isDamage, isLocked } from './damage'

const FILES = ['spool.db', 'telemetry.db', 'lock.db'] as const

/** Words for what people have to do something about, and what that is. */
const SENTENCES: readonly (readonly [(error: Error) => boolean, (folder: string, error: Error) => string])[] = [
  [
    ({ message }) => /disk is full|SQLITE_FULL|SQLITE_IOERR|disk I\/O error|ENOSPC/i.test(message),
    (folder) => `the disk that holds ${folder} is full: make room, or set WAYSTATION_DATA to another folder`,
  ],
  [
    ({ message }) =>
      /readonly database|unable to open database|SQLITE_READONLY|SQLITE_CANTOPEN|EROFS|EACCES|EPERM/i.test(message),
    (folder) => {
      const inTheWay = FILES.find((name) => isFolder(join(folder, name)))
      return inTheWay === undefined
        ? `${folder} cannot be written: mend its permissions, or set WAYSTATION_DATA to another folder`
        : `${join(folder, inTheWay)} is a folder where a file belongs: move it aside`
    },
  ],
  [
    isLocked,
    (folder) =>
      `another program holds a database in ${folder} locked: close it (a database browser, a backup), then start again`,
  ],
  [isDamage, (folder, { message }) => explainDamage(folder, message)],
]

/** Why the collector stopped, in one sentence that says what to do where there is something to do. */
export function explainStop(error: Error, folder: string): string {
  const known = SENTENCES.find(([isIt]) => isIt(error))
  return known === undefined ? error.message : `${known[1](folder, error)} (${error.message})`
}

function explainDamage(folder: string, message: string): string {
  if (message.startsWith('spool.db'))
    return `${join(folder, 'spool.db')} is damaged: put back a copy, or move it and telemetry.db aside to begin anew; what it had not relayed yet is in it`
  return `a database in ${folder} is damaged: telemetry.db may be deleted, for it is made again from spool.db; when that does not help, spool.db is the one: put back a copy, or move it aside`
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
