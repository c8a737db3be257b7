import { readFileSync } from 'node:fs'
import { createContext, Script } from 'node:vm'
import { describe, expect, test } from 'vitest'

/** The entry files and the modules that they load. Classic scripts may begin with `#!`. */
const FIRST_FILES = [
  { file: 'launch/start.js', next: './command.js' },
  { file: 'cli/waystation.js', next: './waystation-command.js' },
] as const
const read = (file: string): string => readFileSync(new URL(`../../../collector/${file}`, import.meta.url), 'utf8')

/** Runs an entry file as an old Node does: as a classic script, without `import`. */
function runOn(source: string, version: string): { printed: string[]; exitCode: number | undefined; loaded: string[] } {
  const printed: string[] = []
  const loaded: string[] = []
  const fake = { versions: { node: version }, execPath: '/old/node', argv: [], exitCode: undefined }
  const context = createContext({
    process: fake,
    console: { error: (text: string) => printed.push(text) },
    Function: function FunctionOf(body: string) {
      return () => {
        loaded.push(body)
        return Promise.resolve({ runCommand: () => undefined })
      }
    },
  })
  new Script(source).runInContext(context)
  return { printed, exitCode: fake.exitCode, loaded }
}

describe.each(FIRST_FILES)('the entry file $file', ({ file, next }) => {
  const source = read(file)
  test.each(['8.17.0', '12.22.12', '18.20.8', '20.9.0', '20.18.3', '21.7.3', '22.0.0', '22.11.0', '23.11.0'])(
    'refuses Node %s with one sentence and exit code 1',
    (version) => {
      const { printed, exitCode, loaded } = runOn(source, version)
      expect(printed).toEqual([
        expect.stringMatching(`^Waystation needs Node 20 from 20\\.19 on, .*this is Node ${version} `),
      ])
      expect(exitCode).toBe(1)
      expect(loaded).toEqual([])
    },
  )

  test.each(['20.19.0', '20.20.2', '22.12.0', '24.0.0', '25.0.0', '26.10.0'])(
    'loads the command with Node %s',
    (version) => {
      const { printed, exitCode, loaded } = runOn(source, version)
      expect(printed).toEqual([])
      expect(exitCode).toBeUndefined()
      expect(loaded).toEqual([`return import("${next}")`])
    },
  )

  test('contains no syntax that Node 8 cannot parse', () => {
    const code = source.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '').replace(/'[^']*'/g, '')
    expect(code).not.toMatch(/\bimport\b|\bexport\b|\?\?|\?\.|\bawait\b/)
  })
})
