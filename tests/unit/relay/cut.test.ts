import { describe, expect, it } from 'vitest'
import { type Cut, cutsOf, leftOutOf, withoutCut } from '../../../collector/relay/cut'
import { categoryOf } from '../../../lib/protocol/data-category'
import { type Envelope, parseEnvelope } from '../../../lib/protocol/envelope'
import { limitAppliesTo } from '../../../lib/protocol/upstream-answer'
import { capturedBytes, capturedNames } from '../protocol/captured'
import { seededRandom } from '../protocol/seeded-random'

function framed(body: Uint8Array): Envelope {
  const parsed = parseEnvelope(body)
  if (!parsed.ok) throw new Error(`${parsed.error.message} at byte ${parsed.error.at}`)
  return parsed.value
}

const envelopeOf = (...types: readonly (string | object)[]): Uint8Array =>
  Buffer.from(
    `{"a":1}${types.map((type) => `\n${JSON.stringify(typeof type === 'string' ? { type } : type)}\n{}`).join('')}`,
  )

/** The cut of each item where these categories are limited. */
const cuts = (body: Uint8Array, ...limits: readonly string[]): readonly Cut[] =>
  cutsOf(framed(body).items, (category) => limits.some((limit) => limitAppliesTo(limit, category)))

const [kept, limited, depends] = [null, 'limited', 'depends_on_limited'] as const

describe('the items that are cut', () => {
  it.each<[string, readonly (string | object)[], readonly string[], readonly Cut[]]>([
    ['is what is limited', ['event', 'session'], ['session'], [kept, limited]],
    ['is nothing where another category is limited', ['event', 'session'], ['span'], [kept, kept]],
    [
      'is everything where all is limited',
      ['event', 'client_report', 'of_tomorrow'],
      ['all'],
      [limited, limited, limited],
    ],
    ["are an event's attachments with it", ['event', 'attachment', 'session'], ['error'], [limited, depends, kept]],
    [
      'is no attachment of an event that goes on',
      ['event', 'attachment', 'session'],
      ['session'],
      [kept, kept, limited],
    ],
    [
      'is no attachment as long as anything that may have it goes on',
      ['event', 'transaction', 'attachment'],
      ['error'],
      [limited, kept, kept],
    ],
    ['is an attachment without its event', ['event', 'attachment'], ['attachment'], [kept, limited]],
    ["is a transaction's profile with it", ['transaction', 'profile'], ['transaction'], [limited, depends]],
    ['is a profile without its transaction', ['transaction', 'profile'], ['profile'], [kept, limited]],
    ['is no profile chunk with a transaction', ['transaction', 'profile_chunk'], ['transaction'], [limited, kept]],
    ['are both halves of a replay', ['replay_event', 'replay_recording'], ['replay'], [limited, limited]],
    ['is no client report but by its own category', ['client_report', 'event'], ['error'], [kept, limited]],
    ['is a client report by its own category', ['client_report', 'event'], ['internal'], [limited, kept]],
    ['is no attachment that came alone', ['attachment'], ['error'], [kept]],
    [
      'is no attachment of a trace with an event',
      ['event', { type: 'attachment', content_type: 'application/vnd.sentry.trace-attachment' }],
      ['error'],
      [limited, kept],
    ],
    ['are metrics by the name that SDKs have for them', ['trace_metric'], ['metric'], [limited]],
    ['are profile chunks by the name that SDKs have for them', ['profile_chunk'], ['profile'], [limited]],
    ['are profile chunks by the name of a page’s', ['profile_chunk'], ['profile_chunk_ui'], [limited]],
    ['is no transaction’s profile for want of chunks', ['profile'], ['profile_chunk'], [kept]],
    ['are logs where their bytes are used up', ['log'], ['log_byte'], [limited]],
    ['is no event by `default`', ['event'], ['default'], [kept]],
    ['is what nobody knows by its own name', ['of_tomorrow'], ['of_tomorrow'], [limited]],
    ['is nothing by a name that every object inherits', ['event'], ['constructor', '__proto__'], [kept]],
  ])('%s', (_name, types, limits, expected) => {
    expect(cuts(envelopeOf(...types), ...limits)).toEqual(expected)
  })

  it('are listed with type, category, quantity and reason', () => {
    const { items } = framed(envelopeOf('event', 'attachment', 'session'))
    const quantities = [{ quantity: 1 }, { quantity: 5 }, { quantity: 1 }]
    expect(leftOutOf(items, quantities, [limited, depends, kept])).toEqual([
      { item: 0, type: 'event', category: 'error', quantity: 1, reason: 'limited' },
      { item: 1, type: 'attachment', category: 'attachment', quantity: 5, reason: 'depends_on_limited' },
    ])
  })
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

  it.each(capturedNames)('of %s, with any one item cut, parses into the others', (name) => {
    const body = capturedBytes(name)
    const envelope = framed(body)
    for (const index of envelope.items.keys()) expectCut(body, envelope, (item) => item === index)
  })

  it('of any envelope and limits parses into the kept items, payloads byte for byte', () => {
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
  const meant = envelope.items.filter((_, item) => !isCut(item))
  expect(again.header).toEqual(envelope.header)
  expect(Buffer.compare(left.subarray(0, again.headerEnd), body.subarray(0, envelope.headerEnd))).toBe(0)
  expect(again.items.map(({ header }) => header)).toEqual(meant.map(({ header }) => header))
  for (const [at, item] of again.items.entries())
    expect(Buffer.compare(item.payload, meant[at]?.payload ?? Buffer.of(1))).toBe(0)
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
