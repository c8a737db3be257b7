import { expect, it } from 'vitest'
import { COMMAND_NAMES, VERB_COMMANDS } from '../../../collector/cli/commands.js'
import { readRunArguments } from '../../../collector/cli/run/run-arguments'

const read = (line: string) => readRunArguments(line.split(' '))
const JUDGED = {
  rules: null,
  severity: null,
  baseline: null,
  writeBaseline: null,
  budget: null,
  junit: null,
  report: null,
  github: false,
  quiet: false,
  config: null,
}
const PLAIN = {
  relay: false,
  data: null,
  settleMs: 5000,
  learn: false,
  save: null,
  scrub: false,
  name: null,
  judging: JUDGED,
}

it.each([
  ['run -- npm test', { ...PLAIN, program: 'npm', args: ['test'] }],
  ['run npm test --watch', { ...PLAIN, program: 'npm', args: ['test', '--watch'] }],
  ['run -- npm test -- --relay', { ...PLAIN, program: 'npm', args: ['test', '--', '--relay'] }],
  ['run --relay -- node app.js', { ...PLAIN, relay: true, program: 'node', args: ['app.js'] }],
  ['run --data here --settle 0.5 -- make', { ...PLAIN, data: 'here', settleMs: 500, program: 'make', args: [] }],
  ['run --data=a=b --settle=0 make', { ...PLAIN, data: 'a=b', settleMs: 0, program: 'make', args: [] }],
  ['run --learn -- make', { ...PLAIN, learn: true, program: 'make', args: [] }],
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
  [
    'run --save /tmp/out.waystation --scrub --name main make',
    { ...PLAIN, save: '/tmp/out.waystation', scrub: true, name: 'main', program: 'make', args: [] },
  ],
])('the arguments of waystation run parses %s', (line, parsed) => {
  expect(read(line)).toEqual({ ok: true, value: parsed })
})

it.each([
  ['rn -- make', 'unknown command "rn"; did you mean run?'],
  ['', `unknown command ""; known are ${[...COMMAND_NAMES, ...Object.keys(VERB_COMMANDS)].join(', ')}`],
  [
    'run --rely -- make',
    expect.stringMatching(
      /^unknown flag --rely; did you mean --relay\?; valid flags: --relay, .*; flags of CMD come after --$/,
    ),
  ],
  ['run --relay=on -- make', '--relay takes no value, got "on"'],
  ['run --data a --data b -- make', '--data is given twice'],
  ['run --settle 1 --settle=1 make', '--settle is given twice'],
  ['run --relay --relay make', '--relay is given twice'],
  ['run --data -- make', '--data requires a folder name'],
  ['run --settle', '--settle requires seconds from 0 to 3600'],
  ['run --settle soon -- make', '--settle must be seconds from 0 to 3600, got "soon"'],
  ['run --severity loud make', '--severity must be warning or error, got "loud"'],
  [
    'run --write-baseline a.json --baseline b.json make',
    '--write-baseline writes all failures; use it without --baseline',
  ],
  ['run --no-check --junit a make', '--no-check judges nothing; remove --junit'],
  ['run --since 1m make', 'run has no flag --since: run always judges its own recording'],
  ['run --json=x make', 'run has no flag --json: standard output belongs to CMD; use --report FILE'],
  ['run --settle -1 make', '--settle must be seconds from 0 to 3600, got "-1"'],
  ['run', 'CMD is missing, for example: waystation run -- npm test'],
  ['run --relay --', 'CMD is missing, for example: waystation run -- npm test'],
])('the arguments of waystation run refuses %s with the valid arguments', (line, message) => {
  expect(read(line)).toEqual({ ok: false, error: message })
})
