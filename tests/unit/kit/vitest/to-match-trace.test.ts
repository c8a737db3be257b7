import { expect, it } from 'vitest'
import { vitestContext } from '../../../../lib/kit/vitest/to-match-trace'

const state = (snapshotState?: object) => ({
  testPath: '/shop/cart.test.ts',
  ...(snapshotState !== undefined && { snapshotState }),
})

it.each([
  ['all', 'update'],
  ['new', 'create'],
  ['none', 'compare'],
] as const)('reads the mode %s of Vitest 4.1, and of earlier versions', (given, mode) => {
  const context = { testFile: '/shop/cart.test.ts', project: 'shop', mode, updateCommand: 'npx vitest -u' }
  expect(vitestContext(state({ snapshotUpdateState: given }), 'shop')).toEqual(context)
  expect(vitestContext(state({ _updateSnapshot: given }), 'shop')).toEqual(context)
})

it.each([
  ['without a state', state(), 'mode nothing'],
  ['with another field', state({ updateMode: 'all' }), 'mode nothing'],
  ['with another mode', state({ snapshotUpdateState: 'some' }), 'mode "some"'],
  ['outside of a test', { snapshotState: { snapshotUpdateState: 'all' } }, 'testPath nothing, mode "all"'],
])('names what this version of Vitest lacks %s', (_what, given, message) => {
  expect(() => vitestContext(given, '')).toThrow(message)
  expect(() => vitestContext(given, '')).toThrow(
    /^toMatchTrace: this version of Vitest does not say .*; expected a path, all, new or none, and a name\. /,
  )
})

it('refuses a matcher before the first test of its file, whose project is unknown', () => {
  expect(() => vitestContext(state({ snapshotUpdateState: 'all' }), null)).toThrow('project null; expected')
})

it('reads the installed Vitest: it has its state where this module expects it', ({ task }) => {
  expect(vitestContext(expect.getState(), task.file.projectName ?? null)).toMatchObject({
    project: 'unit',
    testFile: import.meta.filename,
    mode: expect.stringMatching(/^(?:update|create|compare)$/),
  })
})
