import { describe, expect, it } from 'vitest'
import { type Cut, cutsOf, leftOutOf, withoutCut } from '../../../collector/relay/cut'
import { categoryOf } from '../../../lib/protocol/data-category'
import { type Envelope, parseEnvelope } from '../../../lib/protocol/envelope'
import { limitAppliesTo } from '../../../lib/protocol/rate-limits'
import { capturedBytes, capturedNames } from '../protocol/captured'
import { seededRandom } from '../protocol/seeded-random'
import { valueIn } from '../value-in'

const framed = (body: Uint8Array): Envelope => valueIn(parseEnvelope(body))

const envelopeOf = (...types: readonly (string | object)[]): Uint8Array =>
  Buffer.from(
    `{"a":1}${types.map((type) => `\n${JSON.stringify(typeof type === 'string' ? { type } : type)}\n{}`).join('')}`,
  )

/** The cut of each item where these categories are limited. */
const cuts = (body: Uint8Array, ...limits: readonly string[]): readonly Cut[] =>
  cutsOf(framed(body).items, (category) => limits.some((limit) => limitAppliesTo(limit, category)))

const [kept, limited, depends] = [null, 'limited', 'depends_on_limited'] as const

it.each<[string, readonly (string | object)[], readonly string[], readonly Cut[]]>([
  ['removes items of a limited category', ['event', 'session'], ['session'], [kept, limited]],
  ['removes nothing where another category is limited', ['event', 'session'], ['span'], [kept, kept]],
  [
    'removes everything where everything is limited',
    ['event', 'client_report', 'of_tomorrow'],
    ['all'],
    [limited, limited, limited],
  ],
  ["removes an event's attachments with it", ['event', 'attachment', 'session'], ['error'], [limited, depends, kept]],
  ['keeps the attachment of a kept event', ['event', 'attachment', 'session'], ['session'], [kept, kept, limited]],
  [
    'keeps an attachment while any possible parent is kept',
    ['event', 'transaction', 'attachment'],
    ['error'],
    [limited, kept, kept],
  ],
  ['removes an attachment without its event', ['event', 'attachment'], ['attachment'], [kept, limited]],
  ["removes a transaction's profile with it", ['transaction', 'profile'], ['transaction'], [limited, depends]],
  ['removes a profile without its transaction', ['transaction', 'profile'], ['profile'], [kept, limited]],
  ['keeps a profile chunk without its transaction', ['transaction', 'profile_chunk'], ['transaction'], [limited, kept]],
  ['removes both items of a replay', ['replay_event', 'replay_recording'], ['replay'], [limited, limited]],
  ['keeps a client report unless its own category is limited', ['client_report', 'event'], ['error'], [kept, limited]],
  ['removes a client report by its own category', ['client_report', 'event'], ['internal'], [limited, kept]],
  ['keeps an attachment without an event', ['attachment'], ['error'], [kept]],
  [
    'keeps an attachment of a trace where an event is removed',
    ['event', { type: 'attachment', content_type: 'application/vnd.sentry.trace-attachment' }],
    ['error'],
    [limited, kept],
  ],
  ['removes metrics by their SDK name', ['trace_metric'], ['metric'], [limited]],
  ['keeps a profile chunk where profiles of transactions are limited', ['profile_chunk'], ['profile'], [kept]],
  [
    'removes profile chunks of browsers by their own category',
    [
      { type: 'profile_chunk', platform: 'javascript' },
      { type: 'profile_chunk', platform: 'node' },
    ],
    ['profile_chunk_ui'],
    [limited, kept],
  ],
  ['keeps a profile where profile chunks are limited', ['profile'], ['profile_chunk'], [kept]],
  ['removes logs where their bytes are limited', ['log'], ['log_byte'], [limited]],
  ['keeps an event where `default` is limited', ['event'], ['default'], [kept]],
  ['removes an unknown type by its own name', ['of_tomorrow'], ['of_tomorrow'], [limited]],
  ['ignores names of inherited properties', ['event'], ['constructor', '__proto__'], [kept]],
])('a cut %s', (_name, types, limits, expected) => {
  expect(cuts(envelopeOf(...types), ...limits)).toEqual(expected)
})

it('a cut lists items with type, category, quantity and reason', () => {
  const { items } = framed(envelopeOf('event', 'attachment', 'session'))
  const quantities = [{ quantity: 1 }, { quantity: 5 }, { quantity: 1 }]
  expect(leftOutOf(items, quantities, [limited, depends, kept])).toEqual([
    { item: 0, type: 'event', category: 'error', quantity: 1, reason: 'limited' },
    { item: 1, type: 'attachment', category: 'attachment', quantity: 5, reason: 'depends_on_limited' },
  ])
})

describe('the envelope after a cut', () => {
  it('is the header line and each kept item unchanged, joined by one newline', () => {
    const body = Buffer.from('{"a" : 1}\n{"type":"event"}\n{"b":2}\n{"type":"session","length":3}\na\nb\n')
    const text = (...cutsOfItems: readonly Cut[]): string =>
      Buffer.from(withoutCut(body, framed(body), cutsOfItems)).toString()
    expect(text(limited, kept)).toBe('{"a" : 1}\n{"type":"session","length":3}\na\nb')
    expect(text(kept, limited)).toBe('{"a" : 1}\n{"type":"event"}\n{"b":2}')
    expect(text(limited, limited)).toBe('{"a" : 1}')
  })

  it.each(capturedNames)('%s without any one item parses into the other items', (name) => {
    const body = capturedBytes(name)
    const envelope = framed(body)
    for (const index of envelope.items.keys()) expectCut(body, envelope, (item) => item === index)
  })

  it('random envelopes and limits leave exactly the kept items, payloads byte for byte', () => {
    const random = seededRandom(20_261_121)
    let cutOnes = 0
    for (let round = 0; round < 3000; round += 1) {
      const body = madeEnvelope(random)
      const envelope = framed(body)
      const categories = [...new Set(envelope.items.map(({ header }) => categoryOf(header.type)))]
      const limits = categories.filter(() => random() < 0.4)
      const decided = cutsOf(envelope.items, (category) => limits.includes(category))
      cutOnes += decided.filter((cut) => cut !== null).length
      expectCut(body, envelope, (item) => decided[item] !== null)
    }
    expect(cutOnes).toBeGreaterThan(1000)
  })
})

function expectCut(body: Uint8Array, envelope: Envelope, isCut: (item: number) => boolean): void {
  const left = withoutCut(
    body,
    envelope,
    envelope.items.map((_, item) => (isCut(item) ? limited : kept)),
  )
  const again = framed(left)
  const expected = envelope.items.filter((_, item) => !isCut(item))
  expect(again.header).toEqual(envelope.header)
  expect(Buffer.compare(left.subarray(0, again.headerEnd), body.subarray(0, envelope.headerEnd))).toBe(0)
  expect(again.items.map(({ header }) => header)).toEqual(expected.map(({ header }) => header))
  for (const [at, item] of again.items.entries())
    expect(Buffer.compare(item.payload, expected[at]?.payload ?? Buffer.of(1))).toBe(0)
}

const TYPES = [
  'event',
  'transaction',
  'span',
  'log',
  'session',
  'attachment',
  'profile',
  'replay_event',
  'replay_recording',
  'client_report',
  'of_tomorrow',
]

/** Explicit and implicit lengths, arbitrary and empty payloads, with and without a final newline. */
function madeEnvelope(random: () => number): Uint8Array {
  const below = (most: number): number => Math.floor(random() * most)
  const parts: Uint8Array[] = [Buffer.from(random() < 0.5 ? '{}' : '{"dsn":"http://key@h/1", "x":"\\n"}\r')]
  for (let item = below(6); item > 0; item -= 1) {
    const payload = Buffer.from(Array.from({ length: random() < 0.2 ? 0 : below(40) }, () => below(256)))
    const isImplied = random() < 0.5
    const bytes = isImplied ? payload.map((byte) => (byte === 0x0a ? 0x0b : byte)) : payload
    const type = TYPES[below(TYPES.length)]
    const header = { type, ...(!isImplied && { length: bytes.length }) }
    parts.push(Buffer.from(`\n${JSON.stringify(header)}\n`), bytes)
  }
  if (random() < 0.3) parts.push(Buffer.from('\n'))
  return Buffer.concat(parts)
}
