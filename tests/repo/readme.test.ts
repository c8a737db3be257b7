import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { RULES } from '../../lib/scrub/rule'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

describe('the documentation', () => {
  it.each(['app/tunnel/route.ts', 'instrumentation-client.ts', 'instrumentation.ts'])(
    'shows %s exactly as the app of one’s own has it that is proven in a browser',
    (path) => {
      expect(read('README.md')).toContain(`// ${path}\n${read(`tests/fixtures/own-next-app/${path}`)}`)
    },
  )

  it.each(['e2e/shop.spec.ts', 'unit/cart.test.ts', 'waystation.config.ts'])(
    'shows %s exactly as the project has it that installs the package',
    (path) => {
      expect(read('docs/ci.md')).toContain(`// ${path}\n${read(`tests/fixtures/sample-app/${path}`)}`)
    },
  )

  it('tells what each rule of scrubbing takes', () => {
    const rows = read('docs/scrubbing.md').match(/^\| `\w+`(?:, `\w+`)* \|.*\[(?:Filtered|ip)\].*\|$/gm) ?? []
    const told = rows.flatMap((row) => row.split('|')[1]?.match(/\w+/g) ?? [])
    expect(told.sort()).toEqual(Object.keys(RULES).sort())
  })

  it('names every variable that the environment’s schema knows, and no other', () => {
    const named = new Set(read('README.md').match(/\bWAYSTATION_[A-Z_]+/g))
    const known = new Set(
      read('lib/config/environment.ts')
        .match(/^ {2}WAYSTATION_[A-Z_]+(?=:)/gm)
        ?.map((name) => name.trim()),
    )
    // The supervisor tells the collector where the app is; nobody sets it by hand.
    known.delete('WAYSTATION_APP_URL')
    expect([...named].sort()).toEqual([...known].sort())
  })
})
