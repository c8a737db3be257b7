import { describe, expect, it } from 'vitest'
import { decodeRequest } from '../../../lib/otlp/decode'
import { readSpans } from '../../../lib/otlp/spans'
import { parseRecord } from '../../../lib/protocol/record'
import { HexSupply, RenewingRequest } from '../../bench/renewing-request'

const request = () => new RenewingRequest({ host: 'x', path: '/api/1/envelope/', body: 'envelope', seed: 7 })
const idsIn = (text: string): readonly string[] => text.match(/"(?:[0-9a-f]{32}|[0-9a-f]{16})"/g) ?? []

describe('a renewed request of OTLP', () => {
  it('has 512 valid spans in 32 traces, with new ids each time', () => {
    const one = new RenewingRequest({ host: 'x', path: '/v1/traces', body: 'otlp', seed: 7 })
    const supply = new HexSupply()
    const idsOf = (): readonly string[] => {
      one.renew(supply, 1)
      const request = decodeRequest('traces', 'protobuf', one.bytes.subarray(-one.bodyBytes))
      const { spans, invalid } = readSpans(request.ok ? request.value : {}, 1000)
      expect([spans.length, invalid]).toEqual([512, 0])
      const ids = spans.map(({ span }) => span.spanId)
      const parents = spans.filter(({ span }) => ids.includes(span.parentSpanId ?? ''))
      expect([parents.length, new Set(spans.map(({ span }) => span.traceId)).size]).toEqual([480, 32])
      return ids
    }
    const [first, second] = [idsOf(), idsOf()]
    expect(new Set([...first, ...second]).size).toBe(1024)
  })
})

describe('a renewed request', () => {
  it('is an envelope of about 11 KB with 20 spans, 15 breadcrumbs and a correct Content-Length', () => {
    const one = request()
    one.renew(new HexSupply(), 1_800_000_000)
    const [head = '', body = ''] = one.bytes.toString().split('\r\n\r\n')
    expect(Number(/Content-Length: (\d+)/.exec(head)?.[1])).toBe(Buffer.byteLength(body))
    expect(one.bodyBytes).toBeGreaterThan(10_500)
    expect(one.bodyBytes).toBeLessThan(12_000)
    const framed = parseRecord('envelope', Buffer.from(body))
    const payload = framed.ok ? framed.value.items[0]?.payload : undefined
    const { spans, breadcrumbs, timestamp } = JSON.parse(Buffer.from(payload ?? []).toString())
    expect([spans.length, breadcrumbs.length, Math.floor(timestamp)]).toEqual([20, 15, 1_800_000_001])
  })

  it('has new ids each time, with the same references between them', () => {
    const one = request()
    const supply = new HexSupply()
    one.renew(supply, 1)
    const first = idsIn(one.bytes.toString())
    one.renew(supply, 1)
    const second = idsIn(one.bytes.toString())
    expect(new Set(first).size).toBe(23)
    expect(second.filter((id) => first.includes(id))).toEqual([])
    expect(second.map((id) => second.indexOf(id))).toEqual(first.map((id) => first.indexOf(id)))
  })

  it('has 10,000 distinct ids', () => {
    const supply = new HexSupply()
    const seen = new Set<string>()
    const target = Buffer.alloc(32)
    for (let taken = 0; taken < 10_000; taken += 1) {
      supply.write(target, [0], 32)
      seen.add(target.toString('latin1'))
    }
    expect(seen.size).toBe(10_000)
  })
})
