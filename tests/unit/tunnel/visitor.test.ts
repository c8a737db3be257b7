import { describe, expect, it } from 'vitest'
import { isVisitorHash } from '../../../lib/protocol/request'
import { fail, succeed } from '../../../lib/protocol/result'
import type { Lifeboat } from '../../../lib/tunnel/lifeboat'
import {
  filesOfVisitors,
  MAX_VISITOR_IDS,
  newVisitorId,
  visitorCookie,
  visitorHash,
  visitorIds,
  visitorOf,
} from '../../../lib/tunnel/visitor'

const ID = 'AAAAAAAAAAAAAAAAAAAAAA'
const OTHER = 'BBBBBBBBBBBBBBBBBBBBBA'
const NEW = 'CCCCCCCCCCCCCCCCCCCCCQ'
const pair = (id: string, isSecure = false): string => visitorCookie(id, isSecure).split(';', 1)[0] ?? ''

describe('visitorIds', () => {
  it('reads the ids that its own cookies hold, among other cookies', () => {
    expect(visitorIds(`a=1; ${pair(OTHER)};${pair(ID)}; b=2`)).toEqual([ID, OTHER])
    for (let round = 0; round < 50; round++) {
      const id = newVisitorId()
      expect(visitorIds(pair(id))).toEqual([id])
    }
  })

  it.each([
    null,
    '',
    `waystation-visitor=${ID}`,
    `waystation-visitor-BBBB=${ID}`,
    `waystation-visitor-AAAA=${ID}A`,
    `waystation-visitor-AAAA=${ID.slice(1)}`,
    // The last character of 16 bytes has four unused bits, which must be zero.
    `waystation-visitor-AAAA=${ID.slice(1)}B`,
    `xwaystation-visitor-AAAA=${ID}`,
    `waystation-visitor-AAAA="${ID}"`,
  ])('reads none from %s', (cookie) => {
    expect(visitorIds(cookie)).toEqual([])
  })

  it('reads cookies of this host alone, if there are any', () => {
    expect(visitorIds(`${pair(ID)}; ${pair(OTHER, true)}`)).toEqual([OTHER])
  })

  it(`reads at most ${MAX_VISITOR_IDS} ids`, () => {
    const ids = Array.from({ length: MAX_VISITOR_IDS + 1 }, newVisitorId)
    expect(visitorIds(ids.map((id) => pair(id)).join('; '))).toHaveLength(MAX_VISITOR_IDS)
  })
})

describe('visitorOf', () => {
  const of = (headers: Record<string, string>) => visitorOf(new Headers(headers), () => NEW)

  it('gives a page without a cookie a new id, and keeps the id of a cookie', () => {
    const page = { origin: 'http://app.test:3000', host: 'app.test:3000' }
    expect(of(page)).toEqual({ hash: visitorHash(NEW), cookie: visitorCookie(NEW, false) })
    expect(of({ ...page, cookie: pair(ID) })).toEqual({ hash: visitorHash(ID), cookie: null })
    expect(isVisitorHash(visitorHash(ID))).toBe(true)
  })

  it('ignores ids that a page of another host could have set, for a page with https', () => {
    const page = { origin: 'https://app.test', host: 'app.test' }
    expect(of({ ...page, cookie: pair(ID) })).toEqual({ hash: visitorHash(NEW), cookie: visitorCookie(NEW, true) })
    expect(of({ ...page, cookie: pair(ID, true) })).toEqual({ hash: visitorHash(ID), cookie: null })
  })

  it('gives no id to programs and to pages of other hosts', () => {
    expect(of({ host: 'app.test' })).toBeNull()
    expect(of({ origin: 'http://localhost:5173', host: 'localhost:3000' })).toBeNull()
    expect(of({ origin: 'http://localhost:5173', host: 'localhost:3000', 'sec-fetch-site': 'same-site' })).toBeNull()
  })

  it('gives one to a page behind a proxy that changes the host', () => {
    expect(of({ origin: 'https://shop.test', host: 'app:3000', 'sec-fetch-site': 'same-origin' })?.cookie).toBe(
      `__Host-waystation-visitor-CCCC=${NEW}; Path=/; HttpOnly; SameSite=Lax; Secure`,
    )
  })
})

describe('filesOfVisitors', () => {
  const file = (visitor: string) => ({
    ...{
      receipt: 'r',
      path: '/tunnel',
      headers: { 'x-waystation-visitor': visitor },
      body: { blocks: [], byteLength: 0 },
    },
  })

  it('reads each file once, and skips one that cannot be read', async () => {
    const reads: string[] = []
    const lifeboat = {
      list: async () => succeed(['a', 'b', 'c']),
      read: async (name: string) => {
        reads.push(name)
        return name === 'b' ? fail('EIO') : succeed({ found: file(name) })
      },
    } satisfies Pick<Lifeboat, 'list' | 'read'>
    expect(await filesOfVisitors(lifeboat, ['a', 'b'])).toEqual(succeed(['a']))
    expect(await filesOfVisitors(lifeboat, ['c'])).toEqual(succeed(['c']))
    expect(reads).toEqual(['a', 'b', 'c', 'b'])
  })
})
