import { expect, test } from 'vitest'
import type { Exit } from '../../../collector/launch/child-process'
import { keepCollector } from '../../../collector/launch/keep-collector'
import type { CollectorReady } from '../../../collector/launch/start-collector'
import type { SeatedCollector } from '../../../collector/launch/supervisor'
import { fail, succeed } from '../../../lib/protocol/result'

const KILLED: Exit = { code: null, signal: 'SIGKILL' }
const READY: CollectorReady = {
  type: 'ready',
  url: '',
  dataFolder: '/',
  localDsn: '',
  upstreams: [],
  stranded: [],
  script: null,
}

/** What becomes of a collector, from its start to its end. */
type Life = 'runs' | 'dies when it runs' | 'dies before it runs' | { readonly refuses: string }

function live(life: Life, note: (line: string) => void): SeatedCollector {
  const exited: Promise<Exit> = life === 'runs' ? new Promise(() => undefined) : Promise.resolve(KILLED)
  const ready =
    life === 'runs' || life === 'dies when it runs'
      ? succeed(READY)
      : typeof life === 'object'
        ? fail({ sentence: life.refuses, explained: true })
        : fail({ sentence: 'The collector ended before it was ready (SIGKILL).', explained: false })
  return {
    child: { pid: 1, exited, tell: () => undefined, terminate: () => undefined, kill: () => undefined },
    ready: Promise.resolve(ready),
    stop: () => undefined,
    lines: { take: () => undefined, passOn: () => note('(its lines)'), show: () => note('(its last lines)') },
  }
}

/** Keeps a collector that has just died, with these to follow. */
function keep({ lives, taken = [] }: { readonly lives: readonly Life[]; readonly taken?: readonly (string | null)[] }) {
  const said: string[] = []
  const note = (line: string) => said.push(line)
  const over = new AbortController()
  const [nextLives, nextTaken] = [[...lives], [...taken]]
  let clock = 0
  let started = 0
  const kept = keepCollector({
    seat: {
      current: live('dies when it runs', note),
      start: () => {
        started++
        return live(nextLives.shift() ?? 'runs', note)
      },
      whyTaken: async () => nextTaken.shift() ?? null,
    },
    over: over.signal,
    now: () => clock,
    pause: async (ms) => {
      clock += ms
      if (ms > 0) note(`(${ms} ms)`)
    },
    say: note,
  })
  return { said, kept, over, started: () => started }
}

const WAITS =
  'What comes by the tunnel meanwhile waits in the lifeboat; SDKs that send by DSN get no connection until it is back.'
const FIRST = `The collector ended by itself (SIGKILL); starting it again. ${WAITS}`

test('a collector that dies is started again, with a line for its death and one for its return', async () => {
  const { said } = keep({ lives: ['runs'] })
  await expect.poll(() => said).toEqual([FIRST, '(its lines)', 'The collector is back.'])
})

test('a collector that dies before it runs shows what it wrote, and is started again later', async () => {
  const { said } = keep({ lives: ['dies before it runs', 'runs'] })
  await expect
    .poll(() => said)
    .toEqual([
      FIRST,
      '(its last lines)',
      `The collector ended by itself (SIGKILL); starting it again in 1 s. ${WAITS}`,
      '(1000 ms)',
      '(its lines)',
      'The collector is back.',
    ])
})

test('a collector that dies five times within a minute is given up', async () => {
  const { kept, said, started } = keep({ lives: Array.from({ length: 9 }, () => 'dies when it runs' as const) })
  expect(await kept).toBe('The collector ended by itself 5 times within a minute, the last time with SIGKILL.')
  expect(said.filter((line) => line.endsWith('ms)'))).toEqual(['(1000 ms)', '(2000 ms)', '(4000 ms)'])
  expect(started()).toBe(4)
})

test('a collector that says why it cannot run is given up with its own sentence', async () => {
  const { kept } = keep({ lives: [{ refuses: 'spool.db is of a newer Waystation' }] })
  expect(await kept).toBe('spool.db is of a newer Waystation')
})

test('a port that somebody else took is given up after three tries, without a start', async () => {
  const { kept, said, started } = keep({ lives: [], taken: ['taken', 'taken', 'taken'] })
  expect(await kept).toBe('taken')
  expect(said).toEqual([FIRST, '(1000 ms)', '(2000 ms)'])
  expect(started()).toBe(0)
})

test('a port that is free again in time is used', async () => {
  const { said, started } = keep({ lives: ['runs'], taken: ['taken', 'taken'] })
  await expect.poll(() => said.at(-1)).toBe('The collector is back.')
  expect(started()).toBe(1)
})

test('an end that was asked for is passed over in silence', async () => {
  const { kept, over, said, started } = keep({ lives: ['runs'] })
  over.abort()
  expect(await kept).toBe('asked')
  expect(said).toEqual([])
  expect(started()).toBe(0)
})
