import { existsSync, statfsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('..', import.meta.url))

/** These mock a module that others have loaded, or measure the memory or CPU time of the whole process. */
const OF_A_WHOLE_PROCESS = [
  'tests/unit/index/crash-during-switch.test.ts',
  'tests/unit/relay/long-outage.test.ts',
  'tests/unit/scrub/time.test.ts',
]

/**
 * The flow tests that also run with a record in PostgreSQL, a database for each data folder: what they test depends on
 * the record, its numbers, or the delay between the record and its mirror. Not here: files about the disk budget, a full
 * disk, saved runs and commands on files of SQLite, about the mock upstream, which a shared record refuses, about
 * upstreams whose answers take seconds, and about parsing alone. `npm test` has time for about 80 starts of a collector here.
 */
const FLOW_ON_POSTGRES = [
  'tests/flow/dead-letters.test.ts',
  'tests/flow/figures.test.ts',
  'tests/flow/intake.test.ts',
  'tests/flow/intake-endpoints.test.ts',
  'tests/flow/lists.test.ts',
  'tests/flow/live.test.ts',
  'tests/flow/marks.test.ts',
  'tests/flow/recorded.test.ts',
  'tests/flow/relay.test.ts',
  'tests/flow/unseen-answers.test.ts',
]

/** A file system in memory on most Linux machines. Containers may limit it to 64 MiB. */
const MEMORY = '/dev/shm'
const MEMORY_BYTES = 1024 ** 3

/** Unit tests store thousands of commits, each with a sync, which takes milliseconds on some disks and nothing in memory. */
function temporaryFolder(): Record<string, string> {
  if (!existsSync(MEMORY)) return {}
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize > MEMORY_BYTES ? { TMPDIR: MEMORY } : {}
}

const unit = { testTimeout: 10_000, expect: { poll: { timeout: 5000 } }, env: temporaryFolder() }

const flow = {
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 60_000 } },
  // Most files wait for processes that they start.
  maxWorkers: 4,
}

/**
 * `npm test -- unit` runs one of the projects. Flow tests start real processes, so they have more time and fewer workers.
 * Polls wait long enough for a busy machine: a test that fails for lack of time proves nothing.
 */
export default defineConfig({
  root,
  test: {
    projects: [
      {
        root,
        test: {
          ...unit,
          name: 'unit',
          include: ['tests/unit/**/*.test.{ts,tsx}'],
          exclude: OF_A_WHOLE_PROCESS,
          // Two threads that share their modules take a third of the CPU time of a process per file.
          pool: 'threads',
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        root,
        test: {
          ...unit,
          name: 'unit-isolated',
          include: OF_A_WHOLE_PROCESS,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        root,
        test: {
          ...unit,
          name: 'store',
          globalSetup: 'tests/store/shared-cluster.ts',
          include: ['tests/store/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          pool: 'threads',
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
      { root, test: { name: 'repo', include: ['tests/repo/**/*.test.ts'], testTimeout: 30_000 } },
      { root, test: { ...flow, name: 'flow', include: ['tests/flow/**/*.test.ts'] } },
      {
        root,
        test: {
          ...flow,
          name: 'flow-postgres',
          globalSetup: 'tests/store/shared-cluster.ts',
          setupFiles: 'tests/flow/postgres-setup.ts',
          include: FLOW_ON_POSTGRES,
          env: temporaryFolder(),
        },
      },
      {
        root,
        test: {
          name: 'faults',
          globalSetup: 'tests/faults/faults-bundle.ts',
          include: ['tests/faults/**/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          expect: { poll: { timeout: 60_000 } },
          maxWorkers: 1,
        },
      },
      {
        root,
        test: {
          name: 'corpus',
          include: ['tests/corpus/**/*.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 60_000,
          maxWorkers: 1,
        },
      },
    ],
  },
})
