import { describe, expect, it } from 'vitest'
import { readRunWords } from '../../../collector/cli/run-words'

const read = (line: string) => readRunWords(line.split(' '))
const JUDGED = {
  rules: null,
  severity: null,
  baseline: null,
  writeBaseline: null,
  budget: null,
  junit: null,
  report: null,
  github: false,
  config: null,
}
const PLAIN = { relay: false, data: null, settleMs: 5000, judging: JUDGED }

describe('what is typed behind waystation', () => {
  it.each([
    ['run -- npm test', { ...PLAIN, program: 'npm', args: ['test'] }],
    ['run npm test --watch', { ...PLAIN, program: 'npm', args: ['test', '--watch'] }],
    ['run -- npm test -- --relay', { ...PLAIN, program: 'npm', args: ['test', '--', '--relay'] }],
    ['run --relay -- node app.js', { ...PLAIN, relay: true, program: 'node', args: ['app.js'] }],
    ['run --data here --settle 0.5 -- make', { ...PLAIN, data: 'here', settleMs: 500, program: 'make', args: [] }],
    ['run --data=a=b --settle=0 make', { ...PLAIN, data: 'a=b', settleMs: 0, program: 'make', args: [] }],
    ['run --no-check -- make', { ...PLAIN, judging: null, program: 'make', args: [] }],
    [
      'run --rules orphans,losses --severity warning --junit out.xml make',
      {
        ...PLAIN,
        judging: { ...JUDGED, rules: ['orphans', 'losses'], severity: 'warning', junit: 'out.xml' },
        program: 'make',
        args: [],
      },
    ],
    ['run --help', 'help'],
    ['run --relay -h', 'help'],
  ])('%s is understood', (line, words) => {
    expect(read(line)).toEqual({ ok: true, value: words })
  })

  it.each([
    ['rn -- make', 'There is no command "rn": did you mean run?'],
    ['', 'There is no command "": known are run, check, wait, tail, doctor, help'],
    ['run --rely -- make', 'There is no flag --rely (what belongs to CMD stands behind --): did you mean --relay?'],
    ['run --relay=on -- make', '--relay takes no value; which upstream it is says WAYSTATION_UPSTREAM.'],
    ['run --data a --data b -- make', '--data stands there twice: which of them is meant?'],
    ['run --settle 1 --settle=1 make', '--settle stands there twice: which of them is meant?'],
    ['run --relay --relay make', '--relay stands there twice: which of them is meant?'],
    ['run --data -- make', '--data wants a folder behind it.'],
    ['run --settle', '--settle wants seconds, 0 to 3600 behind it.'],
    ['run --settle soon -- make', '--settle soon: meant is seconds, 0 to 3600.'],
    ['run --severity loud make', '--severity loud: meant is warning or error.'],
    [
      'run --write-baseline a.json --baseline b.json make',
      '--write-baseline FILE writes what fails, all of it: leave --baseline out.',
    ],
    ['run --no-check --junit a make', '--no-check judges nothing, so --junit has nothing to do there.'],
    ['run --since 1m make', 'There is no flag --since here: run judges a recording of its own, all of it.'],
    [
      'run --json=x make',
      'There is no flag --json here, for stdout is the program’s: --report FILE writes the report as JSON.',
    ],
    ['run --settle -1 make', '--settle -1: meant is seconds, 0 to 3600.'],
    ['run', 'Which program is to be run? waystation run -- CMD, such as waystation run -- npm test'],
    ['run --relay --', 'Which program is to be run? waystation run -- CMD, such as waystation run -- npm test'],
  ])('%s is refused with what was meant', (line, sentence) => {
    expect(read(line)).toEqual({ ok: false, error: sentence })
  })
})
