import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { checkoutOf } from '../../../collector/cli/judge/write-reports'

const root = mkdtempSync(join(tmpdir(), 'waystation-checkout-'))
afterAll(() => rmSync(root, { recursive: true }))

it('finds the files of a checkout relative to the workspace', () => {
  const shop = join(root, 'shop')
  mkdirSync(join(shop, 'app'), { recursive: true })
  writeFileSync(join(shop, 'app/pay.ts'), '')
  const { folder, isFile } = checkoutOf(root, shop)
  expect(folder).toBe('shop')
  const paths = ['shop/app/pay.ts', 'shop/app', 'app/pay.ts', 'a\0b', 'shop/app/pay.ts/x']
  expect(paths.filter(isFile)).toEqual(['shop/app/pay.ts'])
  expect(checkoutOf(undefined, shop)).toMatchObject({ root: shop, folder: '' })
  expect(checkoutOf(join(root, 'other'), shop)).toMatchObject({ root: join(root, 'other'), folder: '' })
})
