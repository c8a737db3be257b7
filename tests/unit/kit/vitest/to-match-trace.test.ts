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
  const context = { testFile: '/shop/cart.test.ts', project: '', mode, updateCommand: 'npx vitest -u' }
  expect(vitestContext(state({ snapshotUpdateState: given }))).toEqual(context)
  expect(vitestContext(state({ _updateSnapshot: given }))).toEqual(context)
})

it.each([
  ['without a state', state(), 'mode nothing'],
  ['with another field', state({ updateMode: 'all' }), 'mode nothing'],
  ['with another mode', state({ snapshotUpdateState: 'some' }), 'mode "some"'],
  ['outside of a test', { snapshotState: { snapshotUpdateState: 'all' } }, 'testPath nothing, mode "all"'],
])('names what this version of Vitest lacks %s', (_what, given, message) => {
  expect(() => vitestContext(given)).toThrow(message)
  expect(() => vitestContext(given)).toThrow(
    /^toMatchTrace: this version of Vitest does not say .*; expected a path, and all, new or none\. /,
  )
})

it('reads the installed Vitest: it has its state where this module expects it', () => {
  expect(vitestContext(expect.getState())).toMatchObject({
    testFile: import.meta.filename,
    mode: expect.stringMatching(/^(?:update|create|compare)$/),
  })
})
