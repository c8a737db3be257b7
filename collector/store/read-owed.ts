import type { Database } from 'better-sqlite3'
import { prepareOnce } from '../spool/prepare'

export interface Owed {
  readonly seq: number
  readonly bytes: number
}

/** Of one upstream: records that are to be posted, and those that a person decides about. */
export interface Pending {
  readonly owed: number
  readonly deadLetters: number
}

/** A key and a project, as they are stored. */
export interface KeyAndProject {
  readonly publicKey: string
  readonly project: string
}

/** What is owed to one upstream after a sequence number, oldest first. */
export function readOwed(
  db: Database,
  publicKey: string,
  project: string,
  after: number,
  limit: number,
): readonly Owed[] {
  const sql = `SELECT o.seq AS seq, s.bytes AS bytes FROM spool.owed o JOIN spool.submissions s USING (seq)
    WHERE o.public_key = ? AND o.project = ? AND o.seq > ? ORDER BY o.seq LIMIT ?`
  return prepareOnce(db, sql).all(publicKey, project, after, limit) as Owed[]
}

export function countPending(db: Database, publicKey: string, project: string): Pending {
  const sql = `SELECT (SELECT count(*) FROM spool.owed WHERE public_key = @publicKey AND project = @project) AS owed,
    (SELECT count(*) FROM spool.dead_letters WHERE public_key = @publicKey AND project = @project) AS deadLetters`
  return prepareOnce(db, sql).get({ publicKey, project }) as Pending
}

/** How many records are owed to keys and projects other than these: nobody posts them. */
export function readStranded(
  db: Database,
  configured: readonly KeyAndProject[],
): readonly (KeyAndProject & { readonly records: number })[] {
  const isConfigured = ({ publicKey, project }: KeyAndProject): boolean =>
    configured.some((one) => one.publicKey === publicKey && one.project === project)
  return keysOwed(db)
    .filter((one) => !isConfigured(one))
    .map((one) => ({ ...one, records: countPending(db, one.publicKey, one.project).owed }))
}

/** Each key and project that anything is owed to. There are a few, so the index is entered once for each and not walked. */
function keysOwed(db: Database): readonly KeyAndProject[] {
  const sql = `SELECT public_key AS publicKey, project FROM spool.owed
    WHERE (public_key, project) > (?, ?) ORDER BY public_key, project LIMIT 1`
  const found: KeyAndProject[] = []
  for (let last: KeyAndProject = { publicKey: '', project: '' }; ; ) {
    const next = prepareOnce(db, sql).get(last.publicKey, last.project) as KeyAndProject | undefined
    if (next === undefined) return found
    found.push(next)
    last = next
  }
}
