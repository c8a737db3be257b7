import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { compareRun, keepGreenRun, type ProfilePlan } from '../../../collector/cli/run/run-profile'
import { keyOf } from '../../../lib/verdict/compare/profile'

/** The recordings of one command. */
function recordings() {
  const runs = mkdtempSync(join(tmpdir(), 'run-profile-'))
  onTestFinished(() => rmSync(runs, { recursive: true }))
  const plan: ProfilePlan = { file: join(runs, 'profile.json'), command: 'npm test', learns: false, profile: null }
  let count = 0
  /** Keeps a green run with these routes of the server. @returns its messages, and the routes of the kept run */
  const keep = (routes: readonly string[], { unknown = [] as readonly string[], learns = false } = {}) => {
    const folder = join(runs, `20261126T17000${count++}.000Z-0000`)
    mkdirSync(folder)
    const kept = keepGreenRun(countsOf(routes), { ...plan, learns }, folder, unknown)
    if (!kept.ok) throw new Error(kept.error)
    const text = readFileSync(join(folder, 'green-run.json'), 'utf8')
    return { messages: kept.value, routes: ['/a', '/b'].filter((name) => text.includes(name)) }
  }
  const verdict = (routes: readonly string[]) =>
    compareRun(countsOf(routes), plan, { recording: join(runs, 'now'), program: null }).map(
      (one) => one.verdict.verdict,
    )
  return { runs, keep, verdict }
}

const countsOf = (routes: readonly string[]) =>
  new Map(routes.map((name) => [keyOf({ group: 'server', section: 'routes', name: `http.server GET ${name}` }), 2]))

it('a green run that lacks something does not become the norm, however many follow it', () => {
  const { runs, keep, verdict } = recordings()
  expect(keep(['/a', '/b'])).toEqual({ messages: [], routes: ['/a', '/b'] })
  for (let times = 0; times < 2; times += 1)
    expect(keep(['/a'])).toEqual({
      messages: [
        'Later runs are compared with an earlier green run, because this one differs from it (last-green-run: 1 finding); --learn accepts this run.',
      ],
      routes: ['/a', '/b'],
    })
  // The oldest recordings are removed.
  rmSync(join(runs, '20261126T170000.000Z-0000'), { recursive: true })
  expect(verdict(['/a'])).toEqual(['fail'])
  expect(keep(['/a'], { learns: true }).routes).toEqual(['/a'])
  expect(verdict(['/a'])).toEqual(['pass'])
})

it('a run with unknown telemetry replaces no other one, but is better than none', () => {
  const { keep } = recordings()
  const unknown = ['server process 7 ended without a flush']
  expect(keep(['/a'], { unknown })).toEqual({ messages: [], routes: ['/a'] })
  const { messages, routes } = keep(['/a', '/b'], { unknown })
  expect(messages.join()).toContain('because telemetry of this one is unknown')
  expect(routes).toEqual(['/a'])
  expect(keep(['/a', '/b'])).toEqual({ messages: [], routes: ['/a', '/b'] })
})
