import * as Sentry from '@sentry/nextjs'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Consent } from '../../../lib/protocol/consent'
import {
  MOST_UNSENT,
  MOST_UNSENT_LENGTH,
  MOST_UNSENT_TOTAL,
  type OfflineWindow,
  offlineTransport,
} from '../../../lib/sdk/offline'
import type { Envelope, Transport } from '../../../lib/sdk/transport'

interface Post {
  readonly url: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** A browser: its storage outlives pages. */
let stored: Map<string, string>
let posts: Post[]
let consent: Consent
let now: number
/** The answer of the tunnel: a status, no answer (null), or one that comes when the function is called. */
let answer: number | null | Promise<number>
let counted: string[]
let cookies: string
let uuid = 0

beforeEach(() => {
  stored = new Map()
  posts = []
  consent = 'all'
  now = 1_790_000_000_000
  answer = 200
  counted = []
  cookies = ''
})

const storage: OfflineWindow['localStorage'] = {
  getItem: (key) => stored.get(key) ?? null,
  setItem: (key, value) => void stored.set(key, value),
  removeItem: (key) => void stored.delete(key),
  key: (at) => [...stored.keys()][at] ?? null,
  get length() {
    return stored.size
  },
}

interface OpenPage {
  readonly transport: Transport
  readonly fire: (name: 'online' | 'pagehide' | 'pageshow') => void
  /** Runs what waits for time. @returns how long it waited, in ms */
  readonly wait: () => number | null
}

/** Opens a page with the SDK's own transport. @param local the storage, or where it throws */
function open(local: () => OfflineWindow['localStorage'] = () => storage): OpenPage {
  const listeners = new Map<string, () => void>()
  const timers: { readonly work: () => void; readonly ms: number }[] = []
  const page: OfflineWindow = {
    get localStorage() {
      return local()
    },
    document: {
      get cookie() {
        return cookies
      },
      set cookie(value: string) {
        cookies = value.includes('Max-Age=0') ? '' : value
      },
    },
    addEventListener: (name, listener) => void listeners.set(name, listener),
    setTimeout: (work, ms) => timers.push({ work, ms }),
  }
  const fetchLike = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    posts.push({ url: String(url), body: String(init.body), headers: { ...(init.headers as Record<string, string>) } })
    const status = await answer
    if (status === null) throw new TypeError('Failed to fetch')
    return new Response(null, { status })
  }
  const options = {
    url: '/ignored',
    headers: { 'x-waystation-page': 'p1' },
    recordDroppedEvent: (reason: string, category: string) => void counted.push(`${reason} ${category}`),
  }
  const make = (given: typeof fetch): Transport =>
    Sentry.createTransport(options, async ({ body }) => {
      const { status } = await given('/ignored', { method: 'POST', body: String(body), headers: options.headers })
      return { statusCode: status }
    })
  const transport = offlineTransport(make, {
    ...{ page, tunnel: '/tunnel', fetch: fetchLike, consent: () => consent, now: () => now },
    newUuid: () => {
      uuid += 1
      return `00000000-0000-4000-8000-${String(uuid).padStart(12, '0')}`
    },
  })
  return {
    transport,
    fire: (name) => listeners.get(name)?.(),
    wait: () => {
      const timer = timers.shift()
      timer?.work()
      return timer?.ms ?? null
    },
  }
}

const envelope = (...items: readonly object[]): Envelope => [{}, items] as Envelope
const error = (message: string): Envelope => envelope([{ type: 'event' }, { message }])
const span = envelope([{ type: 'span', item_count: 1 }, { items: [] }])
const messages = (): string[] => posts.map(({ body }) => /"message":"([^"]*)"/.exec(body)?.[1] ?? body)
const receipts = (): (string | undefined)[] => posts.map(({ headers }) => headers['x-waystation-receipt'])
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('an envelope without a connection', () => {
  it('is stored without a count, and sent again with its receipt and page at the next start', async () => {
    answer = null
    await open().transport.send(error('a'))
    expect(counted).toEqual([])
    expect(stored.size).toBe(1)
    answer = 200
    now += 90_000
    const next = open()
    expect(next.wait()).toBe(5000)
    await settled()
    expect(stored.size).toBe(0)
    expect(posts).toHaveLength(2)
    expect(posts[1]?.body).toBe(posts[0]?.body)
    expect(receipts()[1]).toBe(receipts()[0])
    expect(posts[0]?.headers['x-waystation-kept']).toBeUndefined()
    expect(posts[1]).toMatchObject({
      url: '/tunnel',
      headers: { 'x-waystation-page': 'p1', 'x-waystation-kept': '90000' },
    })
  })

  it('is sent when the browser is online again, oldest first', async () => {
    const { transport, fire } = open()
    answer = null
    for (const message of ['a', 'b', 'c']) {
      now += 1
      await transport.send(error(message))
    }
    answer = 200
    fire('online')
    await settled()
    expect(messages().slice(3)).toEqual(['a', 'b', 'c'])
    expect(stored.size).toBe(0)
  })

  it('waits twice as long after each attempt, at most five minutes', async () => {
    answer = null
    const { transport, wait } = open()
    await transport.send(error('a'))
    const waits: (number | null)[] = []
    for (let at = 0; at < 8; at += 1) {
      waits.push(wait())
      await settled()
    }
    expect(waits).toEqual([5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000])
  })
})

it('an envelope whose page is left before the answer is stored, and removed when the answer comes', async () => {
  let arrive: (status: number) => void = () => undefined
  answer = new Promise((resolve) => {
    arrive = resolve
  })
  const { transport, fire } = open()
  const sent = transport.send(error('a'))
  expect(stored.size).toBe(0)
  fire('pagehide')
  expect(stored.size).toBe(1)
  arrive(200)
  await sent
  expect(stored.size).toBe(0)
})

it('an envelope that is sent after the page was left is stored before its answer', async () => {
  const { transport, fire } = open()
  answer = new Promise(() => undefined)
  fire('pagehide')
  void transport.send(error('a'))
  expect(stored.size).toBe(1)
  fire('pageshow')
  void transport.send(error('b'))
  expect(stored.size).toBe(1)
})

it.each([404, 408, 502, 503])(
  'an answer %d is no end: the tunnel did not get it, or could not keep it',
  async (status) => {
    const { transport, wait } = open()
    answer = status
    expect(await transport.send(error('a'))).toMatchObject({ statusCode: 202 })
    expect(stored.size).toBe(1)
    wait()
    await settled()
    expect(stored.size).toBe(1)
    answer = 200
    wait()
    await settled()
    expect(stored.size).toBe(0)
  },
)

it.each([200, 400, 413, 429])('an answer %d is the end of an envelope', async (status) => {
  const { transport } = open()
  answer = status
  expect(await transport.send(error('a'))).toMatchObject({ statusCode: status })
  expect(stored.size).toBe(0)
})

it('many failures wait for one attempt, and one envelope that fails does not block the others', async () => {
  const { transport, wait, fire } = open()
  answer = null
  for (const message of ['a', 'b', 'c']) {
    now += 1
    await transport.send(error(message))
  }
  expect([wait(), wait()]).toEqual([5000, null])
  await settled()
  answer = 503
  fire('online')
  await settled()
  expect(messages().slice(4)).toEqual(['a', 'b', 'c'])
})

describe('envelopes that the queue does not take are counted by the SDK', () => {
  it(`beyond ${MOST_UNSENT}`, async () => {
    answer = null
    const { transport } = open()
    for (let at = 0; at < MOST_UNSENT; at += 1) await transport.send(error('a'))
    await expect(transport.send(error('b'))).rejects.toThrow('Failed to fetch')
    expect(stored.size).toBe(MOST_UNSENT)
    expect(counted).toEqual(['network_error error'])
  })

  it(`longer than ${MOST_UNSENT_LENGTH} characters`, async () => {
    answer = null
    await expect(open().transport.send(error('x'.repeat(MOST_UNSENT_LENGTH)))).rejects.toThrow('Failed to fetch')
    expect(counted).toEqual(['network_error error'])
  })

  it(`longer than ${MOST_UNSENT_TOTAL} characters together`, async () => {
    answer = null
    const { transport } = open()
    const most = error('x'.repeat(MOST_UNSENT_LENGTH - 100))
    for (let at = 0; at < 3; at += 1) await transport.send(most)
    await expect(transport.send(most)).rejects.toThrow('Failed to fetch')
    expect(counted).toEqual(['network_error error'])
  })

  it('after an answer that is no end', async () => {
    answer = null
    const { transport } = open()
    for (let at = 0; at < MOST_UNSENT; at += 1) await transport.send(error('a'))
    answer = 503
    await expect(transport.send(error('b'))).rejects.toThrow('the tunnel answered 503')
    expect(counted).toEqual(['network_error error'])
  })

  it('with blocked storage', async () => {
    answer = null
    const { transport, fire } = open(() => {
      throw new DOMException('denied', 'SecurityError')
    })
    await expect(transport.send(error('a'))).rejects.toThrow('Failed to fetch')
    expect(counted).toEqual(['network_error error'])
    fire('pagehide')
    fire('online')
    answer = 200
    expect(await transport.send(error('b'))).toMatchObject({ statusCode: 200 })
  })
})

describe('the consent at the time of sending decides', () => {
  it('off empties the queue when a page is left or opened', async () => {
    answer = null
    const { transport, fire } = open()
    await transport.send(error('a'))
    consent = 'off'
    fire('pagehide')
    expect(stored.size).toBe(0)
    stored.set('waystation.unsent.1', '{}')
    open()
    expect(stored.size).toBe(0)
    expect(posts).toHaveLength(1)
  })

  it('errors leaves out everything of another consent', async () => {
    answer = null
    const { transport, fire } = open()
    await transport.send(span)
    now += 1
    await transport.send(error('a'))
    consent = 'errors'
    now += 1
    await transport.send(error('b'))
    answer = 200
    fire('online')
    await settled()
    expect(messages().slice(3)).toEqual(['b'])
    expect(stored.size).toBe(0)
  })
})

it('a deletion on the page for visitors empties the queue, once', async () => {
  answer = null
  const { transport, fire } = open()
  await transport.send(error('a'))
  cookies = 'waystation-forget=1'
  answer = 200
  fire('online')
  await settled()
  expect([stored.size, posts.length, cookies]).toEqual([0, 1, ''])
  answer = null
  await transport.send(error('b'))
  fire('pagehide')
  expect(stored.size).toBe(1)
})

it('an envelope waits for a week at most', async () => {
  answer = null
  await open().transport.send(error('a'))
  now += 7 * 86_400_000
  expect(open().wait()).toBeNull()
  expect(stored.size).toBe(0)
})

it('entries that somebody changed are removed, and other keys stay', async () => {
  stored.set('waystation.unsent.x', '{"receipt":1}')
  stored.set('waystation.unsent.y', 'no JSON')
  stored.set('waystation.theme', 'dark')
  open().wait()
  await settled()
  expect([...stored.keys()]).toEqual(['waystation.theme'])
  expect(posts).toEqual([])
})
