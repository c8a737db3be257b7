import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type GoldenContext, matchTraceWith } from '../../../../lib/kit/matchers/to-match-trace'
import { transactionEnvelope } from '../../../flow/envelopes'
import { recordedCase } from '../recorded-case'

const DSN = 'http://local@127.0.0.1:8969/1'
const TEXT = 'lifecycle: static\npageload /checkout [service=browser]\n  http.client GET /api/*\n'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waystation-golden-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true })
    vi.unstubAllEnvs()
  })
  vi.stubEnv('CI', '')
})

/** The matcher as a runner calls it. */
async function matching(given: Partial<GoldenContext> & { readonly children?: number } = {}) {
  const made = transactionEnvelope(DSN, { children: given.children ?? 1 })
  const { recording } = await recordedCase([made.body])
  const trace = await recording.trace(made.traceId)
  const context = {
    testFile: join(folder, 'shop.spec.ts'),
    project: '',
    mode: 'create',
    updateCommand: 'npx t -u',
  } as const
  const toMatchTrace = matchTraceWith(() => ({ ...context, ...given }))
  return {
    recording,
    match: (name: unknown = 'checkout', options: unknown = {}, { isNot = false, received = trace as unknown } = {}) => {
      const { pass, message } = Reflect.apply(toMatchTrace, { isNot }, [received, name, options])
      return { pass, message: message() }
    },
  }
}

const FILE = '__traces__/checkout.trace.txt'
const read = (file = FILE): string => readFileSync(join(folder, file), 'utf8')
const write = (text: string, file = FILE): void => {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), text)
}

it('writes a missing file next to the test, and compares the next trace with it', async () => {
  const { match } = await matching()
  expect(match().pass).toBe(true)
  expect(read()).toBe(TEXT)
  expect((await matching()).match().pass).toBe(true)
  const other = (await matching({ children: 2 })).match()
  expect(other.pass).toBe(false)
  expect(other.message).toContain('-   http.client GET /api/*\n+   http.client GET /api/* ×2\n')
  expect(other.message).toContain('http://localhost:3000/traces/')
  expect(read()).toBe(TEXT)
})

it('has files of its own for each project', async () => {
  await matching({ project: '../Mobile Safari' }).then(({ match }) => match())
  expect(read('__traces__/-Mobile-Safari/checkout.trace.txt')).toBe(TEXT)
  expect(existsSync(join(folder, FILE))).toBe(false)
})

it('updates a file and keeps its edited lines', async () => {
  write(TEXT.replace('/checkout', '/cart').replace('/api/*', '/api/* ×1..9'))
  expect((await matching({ mode: 'update' })).match().pass).toBe(true)
  expect(read()).toBe(TEXT)
  write(TEXT.replace('  http.client GET /api/*', '  ? http.client GET /api/* ×*\n  gone'))
  expect((await matching({ mode: 'update' })).match().pass).toBe(true)
  expect(read()).toBe(TEXT.replace('  http.client GET /api/*', '  ? http.client GET /api/* ×*'))
})

it('fails for the first trace, which it writes, where the runner demands it', async () => {
  const { match } = await matching({ mode: 'create-and-fail' })
  expect(match()).toMatchObject({ pass: false, message: expect.stringContaining('did not exist and was written') })
  expect(match().pass).toBe(true)
})

describe('in CI', () => {
  it.each(['create', 'create-and-fail', 'compare'] as const)('a missing file fails in mode %s', async (mode) => {
    vi.stubEnv('CI', 'true')
    const { pass, message } = (await matching({ mode })).match()
    expect(pass).toBe(false)
    expect(message).toMatch(/__traces__\/checkout\.trace\.txt does not exist\nwrite it with npx t -u, and commit it$/)
    expect(existsSync(join(folder, '__traces__'))).toBe(false)
  })

  it('an update that was ordered is done', async () => {
    vi.stubEnv('CI', 'true')
    expect((await matching({ mode: 'update' })).match().pass).toBe(true)
    expect(read()).toBe(TEXT)
  })
})

describe('.not', () => {
  it('never writes, and fails without a file', async () => {
    const { match } = await matching({ mode: 'update' })
    expect(match('checkout', {}, { isNot: true })).toMatchObject({
      pass: true,
      message: expect.stringContaining('does not exist'),
    })
    expect(existsSync(join(folder, '__traces__'))).toBe(false)
    write(TEXT)
    expect(match('checkout', {}, { isNot: true })).toMatchObject({
      pass: true,
      message: expect.stringMatching(/^the trace matches .*; expected a difference$/),
    })
  })
})

it('names a wrong name, option or value', async () => {
  const { match, recording } = await matching()
  const valid = /^toMatchTrace: the name must be 1 to 100 letters, digits, "_", "-" and "\.", such as 'checkout', got /
  for (const name of ['', '../up', 'a/b', '.hidden', 'x'.repeat(101), 7]) expect(() => match(name)).toThrow(valid)
  expect(match('x'.repeat(100)).pass).toBe(true)
  expect(() => match('checkout', { atributes: [] })).toThrow('unknown option atributes')
  expect(() => match('checkout', { attributes: 'url.path' })).toThrow(
    `toMatchTrace: attributes must be a list of names such as ['cart.currency'], got "url.path"`,
  )
  const received = 'toMatchTrace: expect() must receive a trace (await telemetry.trace(…)), got a '
  expect(() => match('checkout', {}, { received: recording })).toThrow(`${received}recording`)
  expect(() => match('checkout', {}, { received: Promise.resolve() })).toThrow(`${received}promise (await it first)`)
})

it('never writes a trace of which telemetry could not be read', async () => {
  const { recording, collector } = await recordedCase([])
  const made = transactionEnvelope(DSN, { children: 1 })
  collector.damage(collector.record(made.body, 'mine'))
  const other = transactionEnvelope(DSN, { children: 1, traceId: made.traceId })
  collector.record(other.body, 'mine')
  const trace = await recording.trace(made.traceId)
  const { match } = await matching()
  expect(match('checkout', {}, { received: trace })).toMatchObject({
    pass: false,
    message: expect.stringContaining('cannot be read: its bytes on disk are damaged'),
  })
  expect(existsSync(join(folder, '__traces__'))).toBe(false)
})
