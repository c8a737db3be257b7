import { describe, expect, it } from 'vitest'
import { askHelp, readAskArguments } from '../../../collector/cli/ask/ask-arguments'
import { bundleOf, generalHelp, VERB_COMMANDS } from '../../../collector/cli/commands.js'
import { verbNamed } from '../../../lib/ask/verbs'

const read = (name: string, ...args: readonly string[]) => {
  const verb = verbNamed(name)
  if (verb === undefined) throw new Error(`there is no verb ${name}`)
  return readAskArguments(verb, args)
}

describe('the arguments of a verb', () => {
  it('are positional ones and flags; the last positional one may have several words', () => {
    expect(read('search', 'traces', 'op:pageload', 'status:error', '--limit', '5', '--url', 'http://a')).toEqual({
      ok: true,
      value: { url: 'http://a', raw: false, given: { kind: 'traces', query: 'op:pageload status:error', limit: 5 } },
    })
    expect(read('get', 'abc', '--full', '--raw')).toEqual({
      ok: true,
      value: { url: null, raw: true, given: { id: 'abc', full: true } },
    })
    expect(read('status')).toMatchObject({ value: { given: {} } })
  })

  it('are checked by the verb where they have a value', () => {
    expect(read('search', 'traces', '--limit', 'many')).toMatchObject({ value: { given: { limit: 'many' } } })
  })

  it.each([
    [['get', 'a', 'b'], 'unknown argument "b"; waystation get ID [FLAG…]'],
    [['get', 'a', '--ful'], expect.stringContaining('unknown flag --ful; did you mean --full?')],
    [['status', '--since'], '--since requires SINCE'],
  ])('%j are refused', ([name = '', ...args], error) => {
    expect(read(name, ...args)).toEqual({ ok: false, error })
  })
})

describe('the help of a verb', () => {
  it.each(Object.keys(VERB_COMMANDS))(
    '%s has its usage, each argument, and lines of at most 132 characters',
    (name) => {
      const verb = verbNamed(name)
      if (verb === undefined) throw new Error(`there is no verb ${name}`)
      const help = askHelp(verb)
      expect(help).toMatch(new RegExp(`^waystation ${name} `))
      for (const property of Object.keys(verb.properties)) expect(help).toMatch(new RegExp(`${property}\\b`, 'i'))
      expect(help.split('\n').filter((line) => line.length > 132)).toEqual([])
      expect(generalHelp()).toContain(`\n  ${name} `)
      expect(bundleOf(name)).toBe('ask.js')
    },
  )

  it('leaves other commands to their own bundles', () => {
    expect([bundleOf('check'), bundleOf('mcp'), bundleOf('unknown')]).toEqual(['check.js', 'ask.js', 'run.js'])
  })
})
