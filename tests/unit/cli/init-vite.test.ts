import { describe, expect, it } from 'vitest'
import { DSN, type Files, planned } from './init-project'

/** The files of create-vite 9. */
const PAGE = (entry: string): string => `<body>\n    <script type="module" src="/${entry}"></script>\n</body>\n`
const REACT_MAIN = `import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './index.css'
`
const REACT_CONFIG = `import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// https://vite.dev/config/
export default defineConfig({
  plugins: [react()],
})
`
const manifestOf = (more: Readonly<Record<string, string>> = {}): string =>
  JSON.stringify({ type: 'module', devDependencies: { vite: '^8.3.4', ...more } })
const reactApp = (more: Files = {}): Files => ({
  'package.json': manifestOf({ '@types/node': '^24' }),
  'index.html': PAGE('src/main.tsx'),
  'src/main.tsx': REACT_MAIN,
  'vite.config.ts': REACT_CONFIG,
  '.gitignore': 'node_modules\n',
  ...more,
})
const SERVER = `server: { proxy: { '/tunnel': process.env.WAYSTATION_COLLECTOR_URL ?? 'http://127.0.0.1:8969' } },`

describe('an app of create-vite', () => {
  it('with React gets the SDK, its import and the proxy, and a second time nothing', () => {
    const { changes, packages, steps, after } = planned(reactApp())
    expect(packages).toEqual(['@sentry/browser@11'])
    expect(Object.keys(changes)).toEqual(['src/sentry.ts', 'src/main.tsx', 'vite.config.ts'])
    expect(changes['src/sentry.ts']).toContain(`dsn: '${DSN}',\n  tunnel: '/tunnel',\n`)
    expect(changes['src/main.tsx']).toBe(`import './sentry'\n${REACT_MAIN}`)
    expect(changes['vite.config.ts']).toBe(REACT_CONFIG.replace('[react()],\n', `[react()],\n  ${SERVER}\n`))
    expect(steps).toEqual([])
    expect(planned(after)).toMatchObject({ changes: {}, steps: [] })
  })

  it('without a configuration gets one', () => {
    const { changes } = planned({
      'package.json': manifestOf(),
      'index.html': PAGE('src/main.js'),
      'src/main.js': 'import "./style.css";\n',
    })
    expect(changes['src/main.js']).toBe('import "./sentry.js";\nimport "./style.css";\n')
    expect(changes['vite.config.js']).toBe(
      `import { defineConfig } from 'vite'\n\nexport default defineConfig({\n  ${SERVER}\n})\n`,
    )
  })

  it('in TypeScript without the types of Node gets the address alone', () => {
    const { changes } = planned(reactApp({ 'package.json': manifestOf() }))
    expect(changes['vite.config.ts']).toContain("server: { proxy: { '/tunnel': 'http://127.0.0.1:8969' } },")
  })

  it('gets a comma after the last option, and the address of a named DSN', () => {
    const config = 'export default defineConfig({\n    base: "/x"\n});\n'
    const dsn = 'http://k@127.0.0.1:9000/7'
    const { changes, after } = planned(reactApp({ 'vite.config.ts': config }), { dsn })
    expect(changes['vite.config.ts']).toBe(
      `export default defineConfig({\n    base: "/x",\n    ${SERVER.replace('8969', '9000')}\n});\n`,
    )
    const moved = planned(after, { dsn: 'http://k@127.0.0.1:9001/7', replacesDsn: true })
    expect(moved.changes['vite.config.ts']).toContain("'http://127.0.0.1:9001' } },")
    expect(moved.changes['src/sentry.ts']).toContain('9001/7')
  })

  it('keeps the SDK that it has, from version 8 on', () => {
    const app = reactApp({ 'package.json': manifestOf({ '@sentry/react': '^10.0.0', '@types/node': '^24' }) })
    const { changes, packages } = planned(app)
    expect(packages).toEqual([])
    expect(changes['src/sentry.ts']).toContain("from '@sentry/react'")
    expect(changes['src/sentry.ts']).not.toContain('dataCollection')
    const old = planned(reactApp({ 'package.json': manifestOf({ '@sentry/vue': '^7.1.0' }) }))
    expect(old.changes).toEqual({})
    expect(old.steps).toEqual([
      { title: expect.stringContaining('@sentry/vue 8 or newer; yours is 7'), paste: `dsn: '${DSN}',\n` },
    ])
  })
})

describe('files of a Vite app that init does not edit', () => {
  it.each([
    ['export default defineConfig(({ mode }) => ({\n  plugins: [],\n}))\n'],
    ['export default defineConfig({\n  plugins: [],\n  server: { port: 3001 },\n})\n'],
    ['export default defineConfig({\n  ...shared,\n  plugins: [],\n})\n'],
    ['export default defineConfig({\n  plugins: [],\n  // more later\n})\n'],
    ['export default { plugins: [] }\n'],
  ])('%j: prints the option', (config) => {
    const { changes, steps } = planned(reactApp({ 'vite.config.ts': config }))
    expect(changes['vite.config.ts']).toBeUndefined()
    expect(steps).toEqual([{ title: expect.stringMatching(/^vite\.config\.ts has a shape/), paste: `${SERVER}\n` }])
  })

  it('an entry that starts an SDK gets no second one', () => {
    const main = "import * as Sentry from '@sentry/react'\nSentry.init({ dsn: '' })\n"
    const { changes, steps } = planned(reactApp({ 'src/main.tsx': main }))
    expect(Object.keys(changes)).toEqual(['vite.config.ts'])
    expect(steps).toEqual([
      { title: expect.stringContaining('src/main.tsx starts an SDK'), paste: expect.stringContaining(DSN) },
    ])
  })

  it('a page without a script of the app', () => {
    const { steps } = planned(reactApp({ 'index.html': '<script src="https://cdn.test/x.js"></script>' }))
    expect(steps).toEqual([
      { title: expect.stringContaining('index.html has no script'), paste: expect.stringContaining(DSN) },
    ])
  })
})
