import { readFileSync } from 'node:fs'
import { createContext, Script } from 'node:vm'
import { describe, expect, test } from 'vitest'

/** Both of them, and what they go on with. A classic script may begin with `#!` since ES2023, and in Node since long. */
const FIRST_FILES = [
  { file: 'launch/start.js', next: './command.js' },
  { file: 'cli/waystation.js', next: './waystation-command.js' },
] as const
const read = (file: string): string => readFileSync(new URL(`../../../collector/${file}`, import.meta.url), 'utf8')

/** Runs a very first file as an old Node would: as a classic script, which knows no `import`. */
function runOn(source: string, version: string): { said: string[]; exitCode: number | undefined; loaded: string[] } {
  const said: string[] = []
  const loaded: string[] = []
  const fake = { versions: { node: version }, execPath: '/old/node', argv: [], exitCode: undefined }
  const context = createContext({
    process: fake,
    console: { error: (text: string) => said.push(text) },
    Function: function FunctionOf(body: string) {
      return () => {
        loaded.push(body)
        return Promise.resolve({ runCommand: () => undefined })
      }
    },
  })
  new Script(source).runInContext(context)
  return { said, exitCode: fake.exitCode, loaded }
}

describe.each(FIRST_FILES)('the first file $file', ({ file, next }) => {
  const source = read(file)
  test.each(['8.17.0', '12.22.12', '18.20.8', '20.9.0', '20.18.3', '22.0.0', '22.11.0'])(
    'refuses Node %s with one sentence and exit code 1',
    (version) => {
      const { said, exitCode, loaded } = runOn(source, version)
      expect(said).toEqual([
        expect.stringMatching(`^Waystation needs Node 20\\.19 or newer .*this is Node ${version} `),
      ])
      expect(exitCode).toBe(1)
      expect(loaded).toEqual([])
    },
  )

  test.each(['20.19.0', '20.20.2', '21.0.0', '22.12.0', '24.0.0', '26.10.0'])('goes on with Node %s', (version) => {
    const { said, exitCode, loaded } = runOn(source, version)
    expect(said).toEqual([])
    expect(exitCode).toBeUndefined()
    expect(loaded).toEqual([`return import("${next}")`])
  })

  test('has no word that Node 8 cannot read', () => {
    const code = source.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '').replace(/'[^']*'/g, '')
    expect(code).not.toMatch(/\bimport\b|\bexport\b|\?\?|\?\.|\bawait\b/)
  })
})
