import { createRequire } from 'node:module'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from './collector-process'
import { node, run, startCommand } from './run-process'

/** A server with Sentry's SDK and two routes, which a process without an SDK calls. @param changed the other commit */
const program = (changed: boolean) => `
  const Sentry = require(${JSON.stringify(createRequire(import.meta.url).resolve('@sentry/node'))})
  Sentry.init({ tracesSampleRate: 1 })
  const { spawn } = require('node:child_process')
  const changed = ${changed}
  const query = (name) => Sentry.startSpan({ name, op: 'db.query' }, async () => undefined)
  const routes = {
    orders: async (id) => {
      await query('SELECT * FROM orders WHERE id = $1')
      if (changed) for (let item = 0; item < 6; item += 1) await query('SELECT * FROM items WHERE id = ' + (id + item))
      else await query('SELECT * FROM items WHERE id = 1')
      await Sentry.startSpan({ name: 'render', op: 'view' }, async () => undefined)
    },
    cart: async () => {
      if (!changed) await Sentry.startSpan({ name: 'cart', op: 'cache.get' }, async () => undefined)
      await query('SELECT * FROM carts WHERE owner = $1')
      if (changed) Sentry.captureException(new TypeError('the price of item ' + Math.floor(Math.random() * 1e6) + ' is undefined'))
    },
  }
  const server = require('node:http').createServer(async (request, response) => {
    const [, route, id] = request.url.split('/')
    Sentry.getActiveSpan() && Sentry.getRootSpan(Sentry.getActiveSpan()).updateName('GET /' + route)
    await routes[route](Number(id))
    response.end()
  }).listen(0, () => {
    const base = 'http://127.0.0.1:' + server.address().port
    const calls = "(async () => { for (const path of ['/orders/10', '/cart', '/orders/20', '/cart', '/orders/31', '/cart']) await fetch('" + base + "' + path) })()"
    spawn(process.execPath, ['-e', calls]).on('exit', async () => {
      await Sentry.flush(5000)
      process.exit(0)
    })
  })`

async function saved(changed: boolean, flags: readonly string[] = []): Promise<string> {
  const file = join(temporaryFolder(), 'out.waystation')
  const ended = await run(['--save', file, ...flags, ...node(program(changed))]).ended
  expect(ended.err).toContain('The run is saved')
  return file
}

const diff = (words: readonly string[]) =>
  startCommand(['diff', ...words], { WAYSTATION_DATA: temporaryFolder() }).ended

describe('waystation diff', () => {
  let [base, again, head] = ['', '', '']
  beforeAll(async () => {
    base = await saved(false)
    again = await saved(false)
    head = await saved(true)
  }, 180_000)

  it('names an added N+1, a lost span and a new error, and nothing else', async () => {
    const { code, out, err } = await diff(['--json', base, head])
    expect(err).toBe('')
    const { spans, errors, rules, counts } = JSON.parse(out)
    expect(spans.changes).toEqual([
      { kind: 'went', trace: 'server http.server GET /cart', span: 'server cache.get cart', before: 1, after: 0 },
      {
        kind: 'count',
        trace: 'server http.server GET /orders',
        span: 'server db.query SELECT * FROM items WHERE id = *',
        before: 1,
        after: 6,
      },
    ])
    expect(errors).toEqual([{ kind: 'new', error: 'server TypeError: the price of item * is undefined', count: 3 }])
    expect(rules).toEqual([])
    expect(counts).toEqual({ spans: 2, errors: 1, rules: 0, durations: 0 })
    expect(code).toBe(1)
  })

  it('prints a bounded answer with --brief, as compare does, without a collector', async () => {
    const brief = await diff(['--brief', base, head])
    expect(brief.out).toMatch(/^# Differences: 2 spans, 1 error, \d+ listed and not judged\n/)
    expect(brief.out).toContain('- went: `server cache.get cart` in `server http.server GET /cart`, 1 per trace\n')
    expect(brief.out).toContain('- new: `server TypeError: the price of item * is undefined` (3)\n')
    expect(brief.code).toBe(1)
    const env = { WAYSTATION_DATA: temporaryFolder(), WAYSTATION_COLLECTOR_URL: 'http://127.0.0.1:9' }
    expect((await startCommand(['compare', base, head], env).ended).out).toBe(brief.out)
    const none = await startCommand(['compare', base, join(temporaryFolder(), 'none')], env).ended
    expect(none).toMatchObject({ code: 2, err: expect.stringMatching(/none does not exist; .* It is no trace, and /) })
  })

  it('reports nothing between runs of one commit', async () => {
    const { code, out } = await diff([base, again])
    expect(out).toMatch(/^No differences between /)
    expect(code).toBe(0)
  })

  it('fails on the chosen kinds only, and writes Markdown', async () => {
    expect(await diff(['--markdown', '--fail-on', 'durations', base, again, head])).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^### Telemetry: Differences: 2 spans, 1 error\n\n\*\*Spans\*\*\n\n- `- went: server cache\.get cart /,
      ),
    })
    expect((await diff(['--fail-on', 'errors', base, head])).code).toBe(1)
    expect((await diff(['--fail-on', 'none', base, head])).code).toBe(0)
  })

  it.each([
    [['one'], 2, 'diff requires a base run and a run to compare'],
    [['--json', '--markdown', 'a', 'b'], 2, '--markdown and --json exclude each other'],
    [['--fail-on', 'spam', 'a', 'b'], 2, '--fail-on must be none, or spans, errors, rules and durations'],
    [['/nowhere/a', '/nowhere/b'], 3, '/nowhere/a does not exist'],
  ])('refuses %j', async (words, code, message) => {
    expect(await diff(words)).toMatchObject({ code, err: expect.stringContaining(message) })
  })
})
