import { describe, expect, it } from 'vitest'
import { HELP, parseArguments, readSeconds } from '../../../collector/cli/arguments'
import { COMMAND_NAMES, commandHelp, generalHelp } from '../../../collector/cli/commands.js'
import {
  CHECK_FLAGS,
  DIFF_FLAGS,
  DOCTOR_FLAGS,
  EXPECT_FLAGS,
  EXPORT_FLAGS,
  INIT_FLAGS,
  MCP_FLAGS,
  MERGE_FLAGS,
  REPORT_FLAGS,
  RUN_FLAGS,
  RUNS_FLAGS,
  SALVAGE_FLAGS,
  SHOW_FLAGS,
  START_FLAGS,
  TAIL_FLAGS,
  WAIT_FLAGS,
} from '../../../collector/cli/flags.js'
import { JUDGED_IDS } from '../../../lib/verdict/expectations/check-plan'

const TABLE = {
  '--url': { value: 'URL', about: 'an address' },
  '--json': { about: 'JSON' },
  '--no-check': { about: 'no verdict' },
} as const
const ADDRESS = 'an http or https address, such as http://127.0.0.1:8969'
const VALID = 'valid flags: --url, --json, --no-check, --help'

function parse(line: string, runsProgram = false) {
  const parsed = parseArguments(line.split(' '), TABLE, { runsProgram })
  if (!parsed.ok) return parsed.error
  const { value, has, positionals } = parsed.value
  return { url: value('--url'), json: has('--json'), positionals }
}

describe('the arguments of a command', () => {
  it.each([
    ['error --json a=b', { url: null, json: true, positionals: ['error', 'a=b'] }],
    ['--url http://a/?b=c x', { url: 'http://a/?b=c', json: false, positionals: ['x'] }],
    ['--url=http://a/?b=c x', { url: 'http://a/?b=c', json: false, positionals: ['x'] }],
    ['--url -1 - x', { url: '-1', json: false, positionals: ['-', 'x'] }],
    ['a -- --json', { url: null, json: false, positionals: ['a', '--json'] }],
    ['a --json -h --nonsense', HELP],
  ])('parses %s', (line, parsed) => {
    expect(parse(line)).toEqual(parsed)
  })

  it('end at the program of a command that runs one', () => {
    const npm = { url: null, json: true }
    expect(parse('--json npm test --json -- --url', true)).toEqual({
      ...npm,
      positionals: ['npm', 'test', '--json', '--', '--url'],
    })
    expect(parse('--json -- npm --json', true)).toEqual({ ...npm, positionals: ['npm', '--json'] })
  })

  it.each([
    ['--ulr x', `unknown flag --ulr; did you mean --url?; ${VALID}`],
    ['-j', `unknown flag -j; ${VALID}`],
    ['--chek', `unknown flag --chek; did you mean --no-check?; ${VALID}`],
    ['--no-json', `unknown flag --no-json; did you mean --json?; ${VALID}`],
    ['--json=yes', '--json takes no value, got "yes"'],
    ['--url', `--url requires ${ADDRESS}`],
    ['--url=', `--url requires ${ADDRESS}`],
    ['--url -- x', `--url requires ${ADDRESS}`],
    ['--json --json', '--json is given twice'],
    ['--__proto__ x', `unknown flag --__proto__; ${VALID}`],
  ])('refuses %s with the valid arguments', (line, message) => {
    expect(parse(line)).toBe(message)
  })

  it('name a wrong value and the valid ones', () => {
    const parsed = parseArguments(['--url', 'here'], TABLE)
    expect(parsed.ok && parsed.value.wrong('--url')).toBe(`--url must be ${ADDRESS}, got "here"`)
  })

  it('contain seconds, as whole ms up to a maximum', () => {
    expect(
      ['0', '0.25', '60', '10s', '61', '-1', '', ' ', 'x', 's', '1m', '1e99'].map((t) => readSeconds(t, 60)),
    ).toEqual([0, 250, 60_000, 10_000, ...Array.from({ length: 8 }, () => null)])
  })
})

describe('help', () => {
  const TABLES = {
    start: START_FLAGS,
    run: RUN_FLAGS,
    show: SHOW_FLAGS,
    runs: RUNS_FLAGS,
    diff: DIFF_FLAGS,
    merge: MERGE_FLAGS,
    report: REPORT_FLAGS,
    check: CHECK_FLAGS,
    wait: WAIT_FLAGS,
    expect: EXPECT_FLAGS,
    tail: TAIL_FLAGS,
    export: EXPORT_FLAGS,
    doctor: DOCTOR_FLAGS,
    init: INIT_FLAGS,
    mcp: MCP_FLAGS,
    salvage: SALVAGE_FLAGS,
  }

  it.each(Object.entries(TABLES))('the help of %s describes each flag, and the exit codes', (name, table) => {
    const help = commandHelp(name) ?? ''
    expect(help.match(/^ {2}--[\w-]+/gm)?.map((flag) => flag.trim())).toEqual(Object.keys(table))
    expect(help.startsWith(`waystation ${name} `)).toBe(true)
    expect(help).toContain('\n\nExit code: ')
    expect(generalHelp()).toContain(`\n  ${name} `)
  })

  it('exists for every command, and for no other name', () => {
    expect(COMMAND_NAMES).toEqual(Object.keys(TABLES))
    expect([commandHelp('up'), commandHelp(undefined), commandHelp('constructor')]).toEqual([null, null, null])
  })

  it('has lines that fit a terminal', () => {
    const lines = COMMAND_NAMES.flatMap((name) => (commandHelp(name) ?? '').split('\n'))
    expect([...lines, ...generalHelp().split('\n')].filter((line) => line.length > 132)).toEqual([])
  })

  it('the help of check lists the rules in their order', () => {
    const named = /\nRules: ([^.]+)\.\n/.exec(commandHelp('check') ?? '')?.[1]?.split(/,\s+/)
    expect(named).toEqual(JUDGED_IDS)
  })
})
