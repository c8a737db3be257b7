import { createHash, randomBytes } from 'node:crypto'
import * as z from 'zod'
import { withTimeout } from '../../lib/time'
import { shareRuns } from '../runtime/in-turn'
import type { SettingRow } from '../spool/spool'

/** Each session is a setting of the record, so that it survives a restart: this, and its hash. */
export const SESSION_PREFIX = 'login_session/'
export const MAX_SESSIONS = 100
/** Seconds; after it a person signs in again. */
export const SESSION_SECONDS = 30 * 24 * 60 * 60
const ID_BYTES = 32
/** A session that another collector ended is refused after this time. */
const FRESH_MS = 900
/** A request waits this long for the store; then the sessions that are known hold. */
const READ_MS = 900

/** The logins of people. Only hashes are kept: the files of a collector let nobody in. */
export interface Sessions {
  /** Starts a session; beyond 100 the oldest ends. @returns its id, once it is stored. @throws StoreAwayError */
  readonly start: () => Promise<string>
  /** With a shared record reads the sessions again for an unknown id, and for a known one once a second. */
  readonly has: (id: string | null) => Promise<boolean>
  readonly end: (id: string) => Promise<void>
  readonly endAll: () => Promise<void>
}

const storedSchema = z.object({
  /** Another token ends the session. */
  token: z.string(),
  /** Ms since the epoch. */
  until: z.number(),
})
type StoredSession = z.infer<typeof storedSchema>

interface SessionParts {
  /** The settings of all sessions, by hash. */
  readonly read: () => Promise<readonly SettingRow[]>
  /** Stores a session; `null` deletes it. */
  readonly save: (hash: string, text: string | null) => Promise<void>
  /** Whether other collectors start and end sessions, too. */
  readonly isShared: boolean
  readonly token: string | undefined
  /** Ms since the epoch. */
  readonly now: () => number
  readonly monotonic: () => number
  readonly newId?: () => string
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Reads the stored sessions. */
export async function createSessions(parts: SessionParts): Promise<Sessions> {
  const { isShared, save, token, now, monotonic, newId = randomId } = parts
  const tokenHash = sha256(`waystation-sessions:${token ?? ''}`)
  let sessions = new Map<string, StoredSession>()
  let readAt = Number.NEGATIVE_INFINITY
  /** Counts own changes: what was read before one is not the newest any more. */
  let changes = 0

  const readAll = async (): Promise<void> => {
    for (;;) {
      const [before, startedAt] = [changes, monotonic()]
      const rows = await parts.read()
      if (before !== changes) continue
      sessions = new Map(rows.flatMap(({ name, value }) => toSession(name, value)))
      readAt = startedAt
      return
    }
  }
  const shareRead = shareRuns(readAll)
  /** While the store is away or slow, the sessions that are known hold. */
  const refresh = (): Promise<void> =>
    withTimeout(
      shareRead().catch(() => undefined),
      READ_MS,
      undefined,
    )
  const isOpen = (hash: string): boolean => {
    const session = sessions.get(hash)
    return session !== undefined && session.token === tokenHash && session.until > now()
  }
  const write = async (hash: string, session: StoredSession | null): Promise<void> => {
    changes += 1
    await save(hash, session === null ? null : JSON.stringify(session))
    changes += 1
    if (session === null) sessions.delete(hash)
    else sessions.set(hash, session)
  }
  const has = async (id: string | null): Promise<boolean> => {
    if (token === undefined || id === null) return false
    const hash = sha256(id)
    if (isShared && (!isOpen(hash) || monotonic() - readAt >= FRESH_MS)) await refresh()
    return isOpen(hash)
  }

  await readAll()
  return {
    has,
    async start() {
      if (isShared) await refresh()
      const oldestFirst = [...sessions].sort(([, one], [, other]) => one.until - other.until)
      const excess = oldestFirst.length + 1 - MAX_SESSIONS
      const gone = oldestFirst.filter(([hash], at) => at < excess || !isOpen(hash))
      const id = newId()
      await write(sha256(id), { token: tokenHash, until: now() + SESSION_SECONDS * 1000 })
      for (const [hash] of gone) await write(hash, null)
      return id
    },
    async end(id) {
      if (await has(id)) await write(sha256(id), null)
    },
    async endAll() {
      if (isShared) await refresh()
      await Promise.all([...sessions.keys()].map((hash) => write(hash, null)))
    },
  }
}

/** None for a value of another version. */
function toSession(hash: string, value: string): readonly (readonly [string, StoredSession])[] {
  try {
    const { data } = storedSchema.safeParse(JSON.parse(value))
    return data === undefined ? [] : [[hash, data]]
  } catch {
    return []
  }
}

const randomId = (): string => randomBytes(ID_BYTES).toString('base64url')
