import { expect, it } from 'vitest'
import { goldenContext } from '../../../../lib/kit/playwright/expect'

it.each([
  ['all', 'update'],
  ['changed', 'update'],
  ['missing', 'create'],
  ['default', 'create-and-fail'],
  ['none', 'compare'],
] as const)('reads the mode %s of Playwright', (updateSnapshots, mode) => {
  const test = { file: '/shop/cart.spec.ts', project: { name: 'chromium' }, config: { updateSnapshots } }
  expect(goldenContext(test)).toEqual({
    testFile: '/shop/cart.spec.ts',
    project: 'chromium',
    mode,
    updateCommand: 'npx playwright test --update-snapshots',
  })
})
