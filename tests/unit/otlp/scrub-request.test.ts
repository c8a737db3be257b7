import { describe, expect, it } from 'vitest'
import { decodeRequest } from '../../../lib/otlp/decode'
import { scrubRequest } from '../../../lib/otlp/scrub-request'
import type { OtlpEncoding, OtlpSignal } from '../../../lib/otlp/signals'
import { removedPath } from '../../../lib/scrub/scrub-record'
import { seededRandom } from '../protocol/seeded-random'
import { valueIn } from '../value-in'
import { encodeRequest, logsRequest, messageType, metricsRequest, SPAN, textAttribute, tracesRequest } from './requests'

const ENCODINGS = ['json', 'protobuf'] as const
const FILTERED = '[Filtered]'
const SECRET = 'hunter2hunter2'

function scrub(signal: OtlpSignal, encoding: OtlpEncoding, body: Uint8Array) {
  const removed: string[] = []
  const after = scrubRequest(signal, encoding, body, (rule, path) => removed.push(`${rule} ${removedPath(path())}`))
  return { after, removed }
}

/** A request as text, in either encoding, after scrubbing. */
function scrubbed(signal: OtlpSignal, encoding: OtlpEncoding, request: object) {
  const { after, removed } = scrub(signal, encoding, encodeRequest(signal, encoding, request))
  const decoded = valueIn(decodeRequest(signal, encoding, after))
  return { text: JSON.stringify(decoded), removed }
}

const spanWith = (...attributes: readonly object[]) => tracesRequest({ ...SPAN, attributes })
const AT_SPAN = 'resourceSpans.0.scopeSpans.0.spans.0'

describe.each(ENCODINGS)('scrubbing a request in %s', (encoding) => {
  it('removes a secret from every place of a trace, and lists each with its rule and path', () => {
    const bearer = `Bearer ${SECRET}`
    const request = {
      resourceSpans: [
        {
          resource: { attributes: [textAttribute('db.password', SECRET)] },
          scopeSpans: [
            {
              scope: { name: 'lib', attributes: [textAttribute('api_key', SECRET)] },
              spans: [
                {
                  ...SPAN,
                  name: `GET /login?token=${SECRET}`,
                  traceState: `vendor=${bearer}`,
                  attributes: [textAttribute('http.request.header.authorization', SECRET)],
                  events: [{ name: bearer, timeUnixNano: '1', attributes: [textAttribute('note', bearer)] }],
                  links: [{ traceId: SPAN.traceId, spanId: SPAN.spanId, attributes: [textAttribute('token', SECRET)] }],
                  status: { code: 2, message: `password=${SECRET}` },
                },
              ],
            },
          ],
        },
      ],
    }
    const { text, removed } = scrubbed('traces', encoding, request)
    expect(text).not.toContain('hunter2')
    expect([...removed].sort()).toEqual(
      [
        'key resourceSpans.0.resource.attributes.db.password',
        'key resourceSpans.0.scopeSpans.0.scope.attributes.api_key',
        `parameter ${AT_SPAN}.name`,
        `bearer ${AT_SPAN}.traceState`,
        `key ${AT_SPAN}.attributes.http.request.header.authorization`,
        `bearer ${AT_SPAN}.events.0.name`,
        `bearer ${AT_SPAN}.events.0.attributes.note`,
        `key ${AT_SPAN}.links.0.attributes.token`,
        `parameter ${AT_SPAN}.status.message`,
      ].sort(),
    )
  })

  it('removes a secret from the body, the attributes and the names of a log record', () => {
    const pair = (key: string, value: object) => ({ key, value })
    const body = {
      kvlistValue: { values: [pair('login', { kvlistValue: { values: [textAttribute('pwd', SECRET)] } })] },
    }
    const request = logsRequest(
      { body: { stringValue: `mail to ada@example.org` }, severityText: `Bearer ${SECRET}` },
      { body, eventName: `Bearer ${SECRET}`, attributes: [textAttribute('session_token', SECRET)] },
    )
    const { text, removed } = scrubbed('logs', encoding, request)
    expect(text).not.toMatch(/hunter2|ada@/)
    const at = 'resourceLogs.0.scopeLogs.0.logRecords'
    expect([...removed].sort()).toEqual(
      [
        `email ${at}.0.body`,
        `bearer ${at}.0.severityText`,
        `key ${at}.1.body.login.pwd`,
        `bearer ${at}.1.eventName`,
        `key ${at}.1.attributes.session_token`,
      ].sort(),
    )
  })

  it('removes a secret from a metric, its data points and its exemplars', () => {
    const request = metricsRequest({
      name: `Bearer ${SECRET}`,
      description: `mail ada@example.org`,
      sum: {
        dataPoints: [
          {
            asInt: '3',
            attributes: [textAttribute('password', SECRET)],
            exemplars: [{ asInt: '1', filteredAttributes: [textAttribute('secret', SECRET)] }],
          },
        ],
      },
    })
    const { text, removed } = scrubbed('metrics', encoding, request)
    expect(text).not.toMatch(/hunter2|ada@/)
    expect(removed).toHaveLength(4)
    expect(removed).toContain(
      'key resourceMetrics.0.scopeMetrics.0.metrics.0.sum.dataPoints.0.exemplars.0.filteredAttributes.secret',
    )
  })

  it('scrubs lists, objects and bytes under a secret name, and keeps numbers', () => {
    const values = [
      { stringValue: SECRET },
      { intValue: '7' },
      { kvlistValue: { values: [textAttribute('a', SECRET)] } },
    ]
    const request = spanWith(
      { key: 'tokens', value: { arrayValue: { values } } },
      { key: 'private_key', value: { bytesValue: Buffer.from(SECRET).toString('base64') } },
      { key: 'gen_ai.usage.input_tokens', value: { intValue: '532' } },
    )
    const { after, removed } = scrub('traces', encoding, encodeRequest('traces', encoding, request))
    expect(removed).toEqual([
      `key ${AT_SPAN}.attributes.tokens.0`,
      `key ${AT_SPAN}.attributes.tokens.2.a`,
      `key ${AT_SPAN}.attributes.private_key`,
    ])
    const kept = [
      { stringValue: FILTERED },
      { intValue: '7' },
      { kvlistValue: { values: [textAttribute('a', FILTERED)] } },
    ]
    const expected = spanWith(
      { key: 'tokens', value: { arrayValue: { values: kept } } },
      { key: 'private_key', value: { bytesValue: Buffer.from(FILTERED).toString('base64') } },
      { key: 'gen_ai.usage.input_tokens', value: { intValue: '532' } },
    )
    expect(Buffer.from(after)).toEqual(Buffer.from(encodeRequest('traces', encoding, expected)))
  })

  it('removes cookies, addresses of persons, and the value after an option of a command', () => {
    const list = (...texts: readonly string[]) => ({
      arrayValue: { values: texts.map((stringValue) => ({ stringValue })) },
    })
    const { text, removed } = scrubbed(
      'traces',
      encoding,
      spanWith(
        { key: 'http.request.header.cookie', value: list('theme=dark; sessionid=abcdefgh') },
        textAttribute('client.address', '203.0.113.7'),
        textAttribute('network.peer.address', '203.0.113.8'),
        { key: 'process.command_args', value: list('login', '--password', SECRET, 'now') },
      ),
    )
    expect(text).not.toMatch(/abcdefgh|203\.0\.113|hunter2/)
    expect(text).toMatch(/theme=dark.*login.*--password.*now/)
    expect(removed.map((one) => one.split(' ')[0])).toEqual(['cookie', 'ip', 'ip', 'key'])
  })

  it('keeps the address of the server that a client span called', () => {
    const request = tracesRequest({
      ...SPAN,
      kind: 3,
      attributes: [textAttribute('network.peer.address', '203.0.113.8')],
    })
    expect(scrubbed('traces', encoding, request).removed).toEqual([])
  })

  it('returns the same array where nothing is removed, also with ids that look like card numbers', () => {
    const span = { ...SPAN, traceId: '41111111111111114111111111111111', spanId: '4111111111111111' }
    const body = encodeRequest('traces', encoding, tracesRequest(span))
    expect(scrub('traces', encoding, body).after).toBe(body)
    const logs = encodeRequest(
      'logs',
      encoding,
      logsRequest({ timeUnixNano: '4111111111111111', body: { stringValue: 'ok' } }),
    )
    expect(scrub('logs', encoding, logs).after).toBe(logs)
  })

  it('removes nothing from a scrubbed request', () => {
    const body = encodeRequest('traces', encoding, spanWith(textAttribute('password', SECRET)))
    const { after } = scrub('traces', encoding, body)
    expect(scrub('traces', encoding, after)).toEqual({ after, removed: [] })
  })
})

/** All attributes of the spans in a request, by name. */
function* attributesIn(request: unknown): Generator<readonly [unknown, unknown]> {
  if (typeof request !== 'object' || request === null) return
  if ('key' in request && 'value' in request) yield [request.key, request.value]
  for (const inner of Object.values(request)) yield* attributesIn(inner)
}

describe.each(ENCODINGS)('scrubbing damaged requests in %s', (encoding) => {
  it('leaves no secret in a request that intake accepts, or throws', () => {
    const base = encodeRequest('traces', encoding, spanWith(textAttribute('password', SECRET), textAttribute('a', 'b')))
    const random = seededRandom(11)
    const below = (end: number): number => Math.floor(random() * end)
    let checked = 0
    for (let round = 0; round < 3000; round += 1) {
      const body = Uint8Array.from(base)
      body[below(body.length)] = below(256)
      if (!decodeRequest('traces', encoding, body).ok) continue
      const after = scrubOrThrow(body)
      if (after === null) continue
      const decoded = decodeRequest('traces', encoding, after)
      expect(decoded.ok).toBe(true)
      for (const [key, value] of attributesIn(decoded.ok ? decoded.value : null))
        if (key === 'password') {
          checked += 1
          expect(JSON.stringify(value)).not.toContain(SECRET)
        }
    }
    expect(checked).toBeGreaterThan(200)
  })

  function scrubOrThrow(body: Uint8Array): Uint8Array | null {
    try {
      return scrub('traces', encoding, body).after
    } catch (error) {
      if (error instanceof Error) return null
      throw error
    }
  }
})

describe('scrubbing JSON', () => {
  const scrubText = (json: string) => {
    const { after, removed } = scrub('logs', 'json', Buffer.from(json))
    return { text: Buffer.from(after).toString(), removed }
  }
  const logs = (record: string) => `{"resourceLogs":[{"scopeLogs":[{"logRecords":[${record}]}]}]}`

  it('scrubs fields that the schema does not have as any JSON', () => {
    const { text, removed } = scrubText(
      logs('{"newField":{"token":"abc","note":["Bearer abcdefgh", 5]},"password":"x","body":{}}'),
    )
    expect(text).toBe(
      logs(`{"newField":{"token":"${FILTERED}","note":["Bearer ${FILTERED}", 5]},"password":"${FILTERED}","body":{}}`),
    )
    const at = 'resourceLogs.0.scopeLogs.0.logRecords.0'
    expect(removed).toEqual([`key ${at}.newField.token`, `bearer ${at}.newField.note.0`, `key ${at}.password`])
  })

  it('keeps every other byte: white space, unknown fields, escapes and large numbers', () => {
    const around = (value: string) =>
      `\ufeff \n${logs(`{ "timeUnixNano" : 18446744073709551615 , "unknown":[{"x":"\\"}"},-1.5e3,null,true], "attributes":[ {"value":{"stringValue": "${value}"},"key":"pass\\u0077ord"}, {"key":"n","value":{"intValue":9007199254740993}} ] }`)} `
    expect(scrubText(around('a\\"b')).text).toBe(around(FILTERED))
  })

  it('reads a key after its value, and the names of the schema with underscores', () => {
    const json =
      '{"resource_logs":[{"scope_logs":[{"log_records":[{"attributes":[{"value":{"string_value":"x"},"key":"token"}]}]}]}]}'
    expect(scrubText(json).text).toBe(json.replace('"x"', `"${FILTERED}"`))
  })

  it('scrubs each of several equal names, because readers differ in which one they use', () => {
    const json = logs('{"body":{"stringValue":"Bearer abcdef"},"body":{"stringValue":"Bearer ghijkl"}}')
    expect(scrubText(json).text).not.toMatch(/abcdef|ghijkl/)
  })

  it.each(['', '[]', '{', '{"resourceLogs":[', '{"resourceLogs" 1}', '{"a":"'])('throws for %j', (json) => {
    expect(() => scrubText(json)).toThrow()
  })
})

it('scrubbing protobuf keeps fields that the schema does not have, and writes the new lengths around a text', () => {
  const type = messageType('collector.trace.v1.ExportTraceServiceRequest')
  const inner = encodeRequest('traces', 'protobuf', spanWith(textAttribute('password', 'x'.repeat(300))))
  // Field 99 as a varint, as a text and as a group.
  const unknown = Uint8Array.of(0x98, 0x06, 0x2a, 0x9a, 0x06, 0x02, 0x68, 0x69, 0x9b, 0x06, 0x08, 0x01, 0x9c, 0x06)
  const { after } = scrub('traces', 'protobuf', Buffer.concat([unknown, inner, unknown]))
  const expected = encodeRequest('traces', 'protobuf', spanWith(textAttribute('password', FILTERED)))
  expect(Buffer.from(after)).toEqual(Buffer.concat([unknown, expected, unknown]))
  expect(() => type.decode(after)).not.toThrow()
})
