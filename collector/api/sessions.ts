import { createHash, randomBytes } from 'node:crypto'
import * as z from 'zod'

/** The setting of the spool in which sessions survive a restart. */
export const SESSIONS_SETTING = 'login_sessions'
export const MAX_SESSIONS = 100
/** Seconds; after it a person signs in again. */
export const SESSION_SECONDS = 30 * 24 * 60 * 60
const ID_BYTES = 32

/** The logins of people. Only hashes are kept: the files of a collector let nobody in. */
export interface Sessions {
  /** Starts a session; beyond 100 the oldest ends. @returns its id, once it is stored */
  readonly start: () => Promise<string>
  readonly has: (id: string | null) => boolean
  readonly end: (id: string) => Promise<void>
  readonly endAll: () => Promise<void>
}

const storedSchema = z.object({
  /** Another token ends all sessions. */
  token: z.string(),
  sessions: z.array(z.object({ hash: z.string(), until: z.number() })),
})

interface SessionParts {
  /** As `save` wrote it; `null` when nothing was stored. */
  readonly stored: string | null
  readonly save: (text: string) => Promise<void>
  readonly token: string | undefined
  readonly now: () => number
  readonly newId?: () => string
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

export function createSessions({ stored, save, token, now, newId = randomId }: SessionParts): Sessions {
  const tokenHash = sha256(`waystation-sessions:${token ?? ''}`)
  const read = storedSchema.safeParse(stored === null ? null : JSON.parse(stored))
  const isOfToken = read.success && read.data.token === tokenHash
  /** The end of each, in ms since the epoch, by hash; oldest first. */
  const ends = new Map(isOfToken ? read.data.sessions.map(({ hash, until }) => [hash, until]) : [])

  const store = (): Promise<void> =>
    save(JSON.stringify({ token: tokenHash, sessions: [...ends].map(([hash, until]) => ({ hash, until })) }))
  const isOpen = (hash: string): boolean => (ends.get(hash) ?? 0) > now()

  return {
    async start() {
      const id = newId()
      for (const hash of ends.keys()) if (!isOpen(hash) || ends.size >= MAX_SESSIONS) ends.delete(hash)
      ends.set(sha256(id), now() + SESSION_SECONDS * 1000)
      await store()
      return id
    },
    has: (id) => token !== undefined && id !== null && isOpen(sha256(id)),
    async end(id) {
      if (ends.delete(sha256(id))) await store()
    },
    async endAll() {
      ends.clear()
      await store()
    },
  }
}

const randomId = (): string => randomBytes(ID_BYTES).toString('base64url')
