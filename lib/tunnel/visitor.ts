import { createHash, randomBytes } from 'node:crypto'
import { VISITOR_HEADER } from '../protocol/request'
import { type Result, succeed } from '../protocol/result'
import type { Lifeboat } from './lifeboat'
import { isPageOfHost } from './read-request'

/**
 * Ids of one browser that are read. It has several when its first posts ran at the same time: each answer set its own
 * cookie, under a name of its own, so that no answer replaces the id under which another post was stored.
 */
export const MAX_VISITOR_IDS = 32

/** 128 random bits as base64url. The name ends in the first characters of the id. */
const COOKIE = /(?:^|;)\s*(__Host-)?waystation-visitor-([\w-]{4})=(\2[\w-]{17}[AQgw])(?=\s*(?:;|$))/g

/**
 * The visitor ids of a `Cookie` header, in a stable order. Ids with the prefix `__Host-` come alone, because pages of
 * other hosts below the same domain can set the others, and would then read what this browser sends.
 * @param isSecure true for a page with https, which has no other ids
 */
export function visitorIds(cookie: string | null, isSecure = false): readonly string[] {
  const found = [...(cookie ?? '').matchAll(COOKIE)]
  const safe = found.filter(([, prefix]) => prefix !== undefined)
  const ids = (isSecure || safe.length > 0 ? safe : found).map(([, , , id]) => id ?? '')
  return [...new Set(ids)].sort().slice(0, MAX_VISITOR_IDS)
}

/** The form of an id that is passed on and stored: nobody can make the cookie from it. SHA-256 as base64url. */
export const visitorHash = (id: string): string => createHash('sha256').update(id).digest('base64url')

export const newVisitorId = (): string => randomBytes(16).toString('base64url')

/** A session cookie for one id: `HttpOnly`, `SameSite=Lax`, and with https `Secure` and for this host only. */
export function visitorCookie(id: string, isSecure: boolean): string {
  const name = `waystation-visitor-${id.slice(0, 4)}`
  return `${isSecure ? `__Host-${name}` : name}=${id}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
}

export interface Visitor {
  readonly hash: string
  /** The cookie that its answer sets; `null` when the request had one. */
  readonly cookie: string | null
}

/** The visitor of a post; a new one for a page of this host without a cookie, and `null` for a program without one. */
export function visitorOf(headers: Headers, newId: () => string): Visitor | null {
  const origin = headers.get('origin')
  const isSecure = origin?.startsWith('https:') === true
  const [known] = visitorIds(headers.get('cookie'), isSecure)
  if (known !== undefined) return { hash: visitorHash(known), cookie: null }
  // Browsers store no cookie of a post to another host, so each such post would make a new visitor.
  const isOwnPage = headers.get('sec-fetch-site') === 'same-origin' || isPageOfHost(origin, headers.get('host'))
  if (!isOwnPage) return null
  const id = newId()
  return { hash: visitorHash(id), cookie: visitorCookie(id, isSecure) }
}

/** The visitor of each file that was read, by its name: files never change, and hold whole envelopes. */
const visitorsOfFiles = new WeakMap<Pick<Lifeboat, 'list' | 'read'>, Map<string, string>>()

/** The files of the lifeboat that some visitors sent, oldest first. A file that cannot be read names no visitor. */
export async function filesOfVisitors(
  lifeboat: Pick<Lifeboat, 'list' | 'read'>,
  hashes: readonly string[],
): Promise<Result<readonly string[], string>> {
  const names = await lifeboat.list('all')
  if (!names.ok) return names
  const before = visitorsOfFiles.get(lifeboat)
  const visitors = new Map<string, string>()
  for (const name of names.value) {
    const known = before?.get(name) ?? (await visitorOfFile(lifeboat, name))
    if (known !== null) visitors.set(name, known)
  }
  visitorsOfFiles.set(lifeboat, visitors)
  return succeed(names.value.filter((name) => hashes.includes(visitors.get(name) ?? '')))
}

/** @returns an empty text for a file without a visitor; `null` for one that is gone or cannot be read now */
async function visitorOfFile(lifeboat: Pick<Lifeboat, 'read'>, name: string): Promise<string | null> {
  const read = await lifeboat.read(name)
  if (!read.ok || 'gone' in read.value) return null
  return 'found' in read.value ? (read.value.found.headers[VISITOR_HEADER] ?? '') : ''
}
