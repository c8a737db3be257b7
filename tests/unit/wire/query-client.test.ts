import { expect, it } from 'vitest'
import { queryClient } from '../../../lib/wire/query-client'
import * as shapes from '../../../lib/wire/shapes'
import { WIRE_HEADER, WIRE_VERSION } from '../../../lib/wire/wire-version'

const answered = (body: unknown, version: string | null = WIRE_VERSION, parsed = false) =>
  queryClient(
    '',
    async () => Response.json(body, version === null ? {} : { headers: { [WIRE_HEADER]: version } }),
    {},
    parsed ? shapes : null,
  ).traces()

it('trusts the fields of an answer without shapes, and parses them with shapes', async () => {
  expect(await answered({ traces: 1 })).toEqual({ traces: 1 })
  await expect(answered({ traces: 1 }, WIRE_VERSION, true)).rejects.toThrow('expected array')
})

it('refuses an answer of another version, or without one, and names both versions', async () => {
  await expect(answered({}, '0')).rejects.toThrow(`the answer has x-waystation-wire 0, this page reads ${WIRE_VERSION}`)
  await expect(answered({}, null)).rejects.toThrow('x-waystation-wire missing')
})

it.each([[[]], ['text'], [null]])('refuses an answer that is no object: %j', async (body) => {
  await expect(answered(body)).rejects.toThrow('the answer is no JSON object')
})

it('writes the options of a query into its address', async () => {
  const addresses: string[] = []
  const client = queryClient(
    '',
    async (url) => {
      addresses.push(String(url))
      return Response.json({}, { headers: { [WIRE_HEADER]: WIRE_VERSION } })
    },
    {},
    null,
  )
  await client.recorded({ after: 3, limit: 0, unstamped: true, signal: new AbortController().signal })
  await client.recorded({ stamp: 's', unstamped: false })
  await client.contract({ stamp: 'a b' })
  await client.contract()
  await client.expectSpans({ pattern: 'a > b', stamp: null, wait: 2 })
  await client.expectSpans({ pattern: 'a', stamp: null, trace: 'abc', wait: 0 })
  expect(addresses).toEqual([
    '/query/recorded?after=3&limit=0&unstamped=',
    '/query/recorded?stamp=s',
    '/query/contract?stamp=a+b',
    '/query/contract',
    '/query/expect?pattern=a+%3E+b&wait=2',
    '/query/expect?pattern=a&wait=0&trace=abc',
  ])
})

it('reads a trace in columns; no piece when it is not stored, an error for another version or another refusal', async () => {
  const end = '{"end":{"journal":7,"gaps":[],"spans":0,"dropped":{"attributes":0,"events":0,"links":0}}}'
  const addresses: string[] = []
  const kindsOf = async (status: number, version = WIRE_VERSION): Promise<readonly string[]> => {
    const answer = async (url: unknown): Promise<Response> => {
      addresses.push(String(url))
      return new Response(`{"version":2,"summary":{}}\n${end}\n`, { status, headers: { [WIRE_HEADER]: version } })
    }
    const kinds: string[] = []
    for await (const { kind } of queryClient('', answer, {}, null).traceColumns('a', { after: 3, segment: 'b' }))
      kinds.push(kind)
    return kinds
  }
  expect(await kindsOf(200)).toEqual(['head', 'end'])
  expect(await kindsOf(404)).toEqual([])
  await expect(kindsOf(503)).rejects.toMatchObject({ status: 503 })
  await expect(kindsOf(200, '0')).rejects.toThrow('x-waystation-wire 0')
  expect(addresses[0]).toBe('/query/traces/a/columns?after=3&segment=b')
})
