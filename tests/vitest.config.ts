import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * `npm test -- unit` runs one of the projects. Flow tests start real processes, so they have more time and fewer neighbours.
 * What is polled for has long enough for a machine that does much else: a test that fails for want of time says nothing.
 */
export default defineConfig({
  root,
  test: {
    projects: [
      {
        root,
        test: {
          name: 'unit',
          include: ['tests/unit/**/*.test.{ts,tsx}'],
          testTimeout: 10_000,
          expect: { poll: { timeout: 5000 } },
        },
      },
      { root, test: { name: 'repo', include: ['tests/repo/**/*.test.ts'], testTimeout: 30_000 } },
      {
        root,
        test: {
          name: 'flow',
          include: ['tests/flow/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: { poll: { timeout: 20_000 } },
          maxWorkers: 2,
        },
      },
      {
        root,
        test: {
          name: 'faults',
          include: ['tests/faults/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: { poll: { timeout: 20_000 } },
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
      { root, test: { name: 'soak', include: ['tests/bench/**/*.test.ts'], hookTimeout: 60_000, maxWorkers: 1 } },
    ],
  },
})
