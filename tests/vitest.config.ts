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
      {
        root,
        test: {
          name: 'flow',
          include: ['tests/flow/**/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          expect: { poll: { timeout: 60_000 } },
          // Most files wait for processes that they start.
          maxWorkers: 4,
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
