import { describe, expect, test } from 'vitest'
import type { Exit } from '../../../collector/launch/child-process'
import { keepCollector, nextRestart, type UnexpectedEnd } from '../../../collector/launch/keep-collector'
import type { CollectorReady, StartedCollector } from '../../../collector/launch/start-collector'
import { fail, succeed } from '../../../lib/protocol/result'

const KILLED: Exit = { code: null, signal: 'SIGKILL' }
const READY: CollectorReady = {
  type: 'ready',
  url: '',
  dataFolder: '/',
  localDsn: '',
  upstreams: [],
  otlp: { url: '', taken: null, upstream: null, staysLocal: false },
  stranded: [],
}

/** How a collector starts and ends. */
type Life = 'runs' | 'dies when it runs' | 'dies before it runs' | { readonly refuses: string }

function live(life: Life, note: (line: string) => void): StartedCollector {
  const exited: Promise<Exit> = life === 'runs' ? new Promise(() => undefined) : Promise.resolve(KILLED)
  const ready =
    life === 'runs' || life === 'dies when it runs'
      ? succeed(READY)
      : typeof life === 'object'
        ? fail({ message: life.refuses, explained: true })
        : fail({ message: 'The collector ended before it was ready (SIGKILL).', explained: false })
  return {
    child: { pid: 1, exited, send: () => undefined, terminate: () => undefined, kill: () => undefined },
    ready: Promise.resolve(ready),
    stop: () => undefined,
    lines: {
      add: () => undefined,
      passThrough: () => note('(its lines)'),
      flush: () => note('(its last lines)'),
    },
  }
}

/** Keeps a collector that has just died; `lives` and `taken` are what happens next. */
function keep({ lives, taken = [] }: { readonly lives: readonly Life[]; readonly taken?: readonly (string | null)[] }) {
  const logged: string[] = []
  const note = (line: string) => logged.push(line)
  const stopping = new AbortController()
  const [nextLives, nextTaken] = [[...lives], [...taken]]
  let clock = 0
  let started = 0
  const kept = keepCollector({
    collector: {
      current: live('dies when it runs', note),
      start: () => {
        started++
        return live(nextLives.shift() ?? 'runs', note)
      },
      refusePort: async () => nextTaken.shift() ?? null,
    },
    stopping: stopping.signal,
    now: () => clock,
    sleep: async (ms) => {
      clock += ms
      if (ms > 0) note(`(${ms} ms)`)
    },
    log: note,
    meanwhile: 'nobody answers',
  })
  return { logged, kept, stopping, started: () => started }
}

const WAITS = 'Until it is back, nobody answers.'
const FIRST = `The collector ended unexpectedly (SIGKILL); restarting it. ${WAITS}`

test('restarts a collector that dies, and logs its end and its return', async () => {
  const { logged } = keep({ lives: ['runs'] })
  await expect.poll(() => logged).toEqual([FIRST, '(its lines)', 'The collector is back.'])
})

test('prints the output of a collector that dies before it is ready, and restarts it later', async () => {
  const { logged } = keep({ lives: ['dies before it runs', 'runs'] })
  await expect
    .poll(() => logged)
    .toEqual([
      FIRST,
      '(its last lines)',
      `The collector ended unexpectedly (SIGKILL); restarting it in 1 s. ${WAITS}`,
      '(1000 ms)',
      '(its lines)',
      'The collector is back.',
    ])
})

test('gives up after five deaths within a minute', async () => {
  const { kept, logged, started } = keep({ lives: Array.from({ length: 9 }, () => 'dies when it runs' as const) })
  expect(await kept).toBe('The collector ended unexpectedly 5 times within a minute, the last time with SIGKILL.')
  expect(logged.filter((line) => line.endsWith('ms)'))).toEqual(['(1000 ms)', '(2000 ms)', '(4000 ms)'])
  expect(started()).toBe(4)
})

test('gives up at once when the collector reports why it cannot run', async () => {
  const { kept } = keep({ lives: [{ refuses: 'spool.db was written by a newer Waystation' }] })
  expect(await kept).toBe('spool.db was written by a newer Waystation')
})

test('gives up after three tries when another program has taken the port', async () => {
  const { kept, logged, started } = keep({ lives: [], taken: ['taken', 'taken', 'taken'] })
  expect(await kept).toBe('taken')
  expect(logged).toEqual([FIRST, '(1000 ms)', '(2000 ms)'])
  expect(started()).toBe(0)
})

test('restarts the collector when its port becomes free in time', async () => {
  const { logged, started } = keep({ lives: ['runs'], taken: ['taken', 'taken'] })
  await expect.poll(() => logged.at(-1)).toBe('The collector is back.')
  expect(started()).toBe(1)
})

test('ignores an end after a request to stop', async () => {
  const { kept, stopping, logged, started } = keep({ lives: ['runs'] })
  stopping.abort()
  expect(await kept).toBeNull()
  expect(logged).toEqual([])
  expect(started()).toBe(0)
})

/** Parses `died@0 taken@1`: causes and seconds. */
const ends = (drawn: string): readonly UnexpectedEnd[] =>
  drawn
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => {
      const [cause, seconds] = word.split('@')
      return {
        at: Number(seconds) * 1_000,
        cause: cause === 'taken' ? 'port taken' : cause === 'refused' ? 'refused' : 'died',
      }
    })

describe('the delay before the next restart', () => {
  test.each<readonly [what: string, drawn: string, next: number | 'give up']>([
    ['is 0 after the first death', 'died@0', 0],
    ['is 1 s after the second death within a minute', 'died@0 died@3', 1_000],
    ['is 2 s after the third', 'died@0 died@3 died@5', 2_000],
    ['is 4 s after the fourth', 'died@0 died@3 died@5 died@8', 4_000],
    ['does not exist after the fifth', 'died@0 died@3 died@5 died@8 died@59.9', 'give up'],
    ['does not count a death a minute ago', 'died@0 died@3 died@5 died@8 died@60', 4_000],
    ['is 0 when the earlier deaths are long ago', 'died@0 died@1 died@2 died@3 died@3600', 0],
    ['does not exist when the collector refused to run', 'died@0 refused@1', 'give up'],
    ['is 1 s when the port is taken', 'died@0 taken@0.1', 1_000],
    ['is 2 s when the port is taken a second time', 'died@0 taken@0.1 taken@1.1', 2_000],
    ['does not exist when the port is taken three times in a row', 'died@0 taken@0.1 taken@1.1 taken@3.1', 'give up'],
    ['counts again when the port was free in between', 'died@0 taken@1 taken@2 died@80 taken@80', 1_000],
    ['does not exist without a death', '', 'give up'],
  ])('%s', (_what, drawn, next) => {
    expect(nextRestart(ends(drawn))).toBe(next)
  })
})
