import { expect, it } from 'vitest'
import { type SendRequest, withoutAddress } from '../../../collector/relay/send'

it('a post without the address of who sent it has all else that it had', async () => {
  const posted: SendRequest[] = []
  const send = withoutAddress(async (request) => {
    posted.push(request)
    return { status: 200, headers: {}, bytes: new Uint8Array() }
  })
  const request = { url: 'http://h.test/', body: new Uint8Array(1), timeoutMs: 1, signal: new AbortController().signal }
  await send({ ...request, headers: { 'x-forwarded-for': '203.0.113.7', 'user-agent': 'x' } })
  expect(posted).toEqual([{ ...request, headers: { 'user-agent': 'x' } }])
})
