import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { RULES } from '../../lib/scrub/rules'
import { documents, ROOT, sourceOf } from './sources.js'

const README_LINES = 150
const ARCHITECTURE_LINES = 250
const GLOSSARY_LINES = 30

describe('the documentation', () => {
  it.each(['app/tunnel/route.ts', 'instrumentation-client.ts', 'instrumentation.ts'])(
    'shows %s of the README exactly as the tested Next app has it',
    (path) => {
      expect(sourceOf('README.md')).toContain(`// ${path}\n${sourceOf(`tests/fixtures/own-next-app/${path}`)}`)
    },
  )

  it('shows the route for OpenTelemetry exactly as the tested Next app has it', () => {
    const path = 'app/tunnel/v1/traces/route.ts'
    const source = sourceOf(`tests/fixtures/own-next-app/${path}`)
    expect(sourceOf('docs/opentelemetry.md')).toContain(`// ${path}\n${source}`)
  })

  it.each(['src/sentry.js', 'server/instrument.js', 'server/server.js'])(
    'shows in docs/own-apps.md the file %s exactly as the tested Vite app has it',
    (path) => {
      const source = sourceOf(`tests/fixtures/vite-app/${path}`)
      expect(sourceOf('docs/own-apps.md')).toContain(`// ${path}\n${source}`)
    },
  )

  it.each([
    ['README.md', 'e2e/cart.spec.ts'],
    ['docs/ci.md', 'e2e/shop.spec.ts'],
    ['docs/ci.md', 'unit/cart.test.ts'],
    ['docs/ci.md', 'waystation.config.ts'],
    ['docs/golden-traces.md', 'e2e/golden.spec.ts'],
  ])('shows in %s the file %s exactly as the tested sample app has it', (document, path) => {
    expect(sourceOf(document)).toContain(`// ${path}\n${sourceOf(`tests/fixtures/sample-app/${path}`)}`)
  })

  it('shows in docs/golden-traces.md the golden file of the tested sample app', () => {
    const text = sourceOf('tests/fixtures/sample-app/e2e/__traces__/shop.trace.txt')
    expect(sourceOf('docs/golden-traces.md')).toContain(`\`\`\`\n${text}\`\`\`\n`)
  })

  it.each([
    ['#', 'test_checkout.py'],
    ['//', 'checkout_test.go'],
  ])('shows in docs/ci.md the tested example %s %s', (comment, path) => {
    const source = sourceOf(`tests/fixtures/expect-programs/${path}`)
    expect(sourceOf('docs/ci.md')).toContain(`${comment} ${path}\n${source}`)
  })

  it('lists each scrubbing rule', () => {
    const rows = sourceOf('docs/scrubbing.md').match(/^\| `\w+`(?:, `\w+`)* \|.*\[(?:Filtered|ip)\].*\|$/gm) ?? []
    const listed = rows.flatMap((row) => row.split('|')[1]?.match(/\w+/g) ?? [])
    expect(listed.sort()).toEqual(Object.keys(RULES).sort())
  })

  it('lists in docs/settings.md each variable of the schema, and no other', () => {
    const listed = new Set(sourceOf('docs/settings.md').match(/\bWAYSTATION_[A-Z_]+/g))
    const parsed = new Set(
      sourceOf('lib/config/environment.ts')
        .match(/^ {2}WAYSTATION_[A-Z_]+(?=:)/gm)
        ?.map((name) => name.trim()),
    )
    expect([...listed].sort()).toEqual([...parsed].sort())
  })

  it.each([
    ['README.md', README_LINES],
    ['ARCHITECTURE.md', ARCHITECTURE_LINES],
    ['docs/glossary.md', GLOSSARY_LINES],
  ])('keeps %s within %i lines', (document, lines) => {
    expect(sourceOf(document).trimEnd().split('\n').length).toBeLessThanOrEqual(lines)
  })

  it('links only to files that exist', () => {
    const broken = documents.flatMap((document) =>
      [...sourceOf(document).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
        .map((match) => posix.normalize(posix.join(posix.dirname(document), match[1] ?? '')))
        .filter((path) => !existsSync(join(ROOT, path)))
        .map((path) => `${document} links to ${path}`),
    )
    expect(broken).toEqual([])
  })
})
