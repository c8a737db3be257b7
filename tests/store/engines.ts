import type { Database } from 'better-sqlite3'
import { afterAll, describe, inject } from 'vitest'
import { createReadMethods } from '../../collector/spool/read/read-methods'
import type { RecordMethods } from '../../collector/spool/spool'
import { openInProcess, removeFolders, temporaryFolder } from '../unit/spool/in-process-spool'
import { closePostgresAtEnd, openOnPostgres } from './postgres-engine'

/** The part of the record that each engine implements, opened for a test. */
export interface OpenedStore extends RecordMethods {
  /** @returns a spool.db with everything that was stored so far, for the functions in `collector/spool/read` */
  readonly readSide: () => Promise<Database>
  /** Closes it and opens the same data again. */
  readonly reopen: () => Promise<OpenedStore>
}

export interface OpenOptions {
  /** ms since the epoch. */
  readonly now?: () => number
  /** Facts in one page for the read side of PostgreSQL; a batch is never divided. */
  readonly pageFacts?: number
}

export type OpenStore = (options?: OpenOptions) => Promise<OpenedStore>

export const server = inject('postgres')

/** Opens a store in a new folder, or on a new database. */
export const ENGINES: readonly { readonly name: string; readonly isSkipped: boolean; readonly open: OpenStore }[] = [
  { name: 'SQLite', isSkipped: false, open: async (options = {}) => openOnSqlite(options) },
  { name: 'PostgreSQL', isSkipped: 'why' in server, open: (options = {}) => openOnPostgres(server, options) },
]

/** Defines the same tests for each engine. */
export function describeStores(subject: string, define: (open: OpenStore) => void): void {
  for (const { name, isSkipped, open } of ENGINES)
    describe.skipIf(isSkipped)(`${subject}, on ${name}`, () => define(open))
  closePostgresAtEnd(server)
  afterAll(removeFolders)
}

function openOnSqlite({ now }: OpenOptions, folder = temporaryFolder()): OpenedStore {
  const spool = openInProcess({ folder, ...(now && { now }) })
  const reads = createReadMethods(spool.db)
  return {
    append: spool.append,
    addUnseenAnswer: spool.addUnseenAnswer,
    countPages: spool.countPages,
    countRefusal: spool.countRefusal,
    recordAttempt: spool.recordAttempt,
    decideWithoutAttempt: spool.decideWithoutAttempt,
    storeLimits: spool.storeLimits,
    requeueDeadLetters: spool.requeueDeadLetters,
    dropDeadLetters: spool.dropDeadLetters,
    subtractReported: spool.subtractReported,
    saveSetting: spool.saveSetting,
    noteChanged: spool.noteChanged,
    probe: spool.ready,
    pending: async (...given) => reads.pending(...given),
    record: async (seq) => reads.record(seq),
    countPending: async (...given) => reads.countPending(...given),
    stranded: async (configured) => reads.stranded(configured),
    deadSeqs: async () => reads.deadSeqs(),
    deadItems: async (seqs) => reads.deadItems(seqs),
    unreported: async (...given) => reads.unreported(...given),
    limits: async () => reads.limits(),
    setting: async (name) => reads.setting(name),
    settings: async (prefix) => reads.settings(prefix),
    head: async () => reads.head(),
    readSide: async () => spool.db,
    reopen: async () => {
      spool.close()
      return openOnSqlite({ ...(now && { now }) }, folder)
    },
  }
}
