import { expect, it } from 'vitest'
import { attachEvidence } from '../../../../lib/kit/playwright/attach-evidence'
import { transactionEnvelope } from '../../../flow/envelopes'
import { recordedCase } from '../recorded-case'

it('attaches envelopes as bytes, unless reports are published', async () => {
  const { recording } = await recordedCase([transactionEnvelope('http://local@127.0.0.1:8969/1').body])
  const types = async (withEnvelopes: boolean): Promise<ReadonlyMap<string, string>> => {
    const attached = new Map<string, string>()
    await attachEvidence({
      withEnvelopes,
      telemetry: recording,
      client: { outcomesOf: async () => null },
      attach: async (name, { contentType }) => {
        attached.set(name, contentType)
      },
    })
    return attached
  }
  expect((await types(true)).get('envelopes.txt')).toBe('application/octet-stream')
  expect((await types(false)).has('envelopes.txt')).toBe(false)
})

it('attaches an error for a failed attachment, and all others', async () => {
  const { recording } = await recordedCase([transactionEnvelope('http://local@127.0.0.1:8969/1').body])
  const submissions = (): never => {
    throw new RangeError('Maximum call stack size exceeded')
  }
  const attached: string[] = []
  await attachEvidence({
    withEnvelopes: true,
    telemetry: { ...recording, submissions },
    client: { outcomesOf: async () => null },
    attach: async (name, { body }) => {
      attached.push(`${name.replace(/[0-9a-f]{8}/, '<trace>')}: ${String(body).slice(0, 60)}`)
    },
  })
  expect(attached).toEqual([
    expect.stringMatching(/^telemetry\.txt: stamp mine/),
    expect.stringMatching(/^trace-<trace>\.svg: <svg /),
    'envelopes.txt: this could not be attached: Maximum call stack size exceeded',
    expect.stringMatching(/^ledger\.json: \{/),
  ])
})

it('attaches an error for a frozen collector', async () => {
  const { recording } = await recordedCase([transactionEnvelope('http://local@127.0.0.1:8969/1').body])
  const attached = new Map<string, string>()
  const never = (_seq: number, signal?: AbortSignal): Promise<never> =>
    new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  await attachEvidence({
    withEnvelopes: true,
    telemetry: recording,
    client: { outcomesOf: never },
    attach: async (name, { body }) => {
      attached.set(name, String(body))
    },
  })
  expect(attached.get('ledger.json')).toBe('{"unknown":"the collector did not answer within 5 s"}')
})
