import { describe, expect, it } from 'vitest'
import { CLIENT_FILES, type ClientFile, planEntry } from '../../../collector/cli/init/agent-files'
import { plannedCopy } from '../../../collector/cli/init/planned-file'

const clientOf = (path: string): ClientFile => {
  const found = CLIENT_FILES.find((file) => file.path === path)
  if (found === undefined) throw new Error(`no client has ${path}`)
  return found
}
const OURS = { command: 'node', args: ['bin.js', 'mcp'] }
const planned = (before: string | null, path = '.mcp.json') => {
  const one = planEntry(clientOf(path), before, 'bin.js')
  if (!one.ok) throw new Error(one.error)
  return one.value
}

describe('the entry of an agent', () => {
  it('is a new file where there is none', () => {
    const { after, shown } = planned(null)
    expect(JSON.parse(after)).toEqual({ mcpServers: { waystation: OURS } })
    expect(shown).toEqual(['+ mcpServers.waystation: {"command":"node","args":["bin.js","mcp"]}'])
    expect(JSON.parse(planned(null, '.vscode/mcp.json').after)).toEqual({ servers: { waystation: OURS } })
  })

  it('is added to what a file has, with its indentation', () => {
    const before = '{\n    "inputs": [],\n    "mcpServers": { "other": { "url": "http://x" } }\n}\n'
    const { after } = planned(before)
    expect(JSON.parse(after)).toEqual({ inputs: [], mcpServers: { other: { url: 'http://x' }, waystation: OURS } })
    expect(after).toMatch(/^ {4}"inputs"/m)
  })

  it('replaces an older one, and a second time changes nothing', () => {
    const { after, shown } = planned('{"mcpServers":{"waystation":{"command":"npx"}}}')
    expect(shown).toEqual([
      '- mcpServers.waystation: {"command":"npx"}',
      '+ mcpServers.waystation: {"command":"node","args":["bin.js","mcp"]}',
    ])
    expect(planned(after)).toEqual({ path: '.mcp.json', before: after, after, shown: [] })
  })

  it.each([
    ['{ // mine\n}', /^\.mcp\.json is no JSON: /],
    ['[]', /^\.mcp\.json is no JSON object$/],
    ['{"mcpServers":[1]}', /^\.mcp\.json has \[1\] as mcpServers, and not an object$/],
  ])('is refused in %j', (before, message) => {
    expect(planEntry(clientOf('.mcp.json'), before, 'bin.js')).toEqual({
      ok: false,
      error: expect.stringMatching(message),
    })
  })

  it('is found in the folder that a client opened', () => {
    expect(CLIENT_FILES.map(({ from }) => from('a.js'))).toEqual([
      'a.js',
      ...Array.from({ length: 2 }, () => `$${'{workspaceFolder}'}/a.js`),
    ])
  })
})

it('the skill is copied, and named with its size', () => {
  expect(plannedCopy('s.md', null, 'a\nb\n', 'x/SKILL.md').shown).toEqual(['+ 2 lines, a copy of x/SKILL.md'])
  expect(plannedCopy('s.md', 'old', 'a\nb\n', 'x').shown).toEqual(['- 1 line', '+ 2 lines, a copy of x'])
  expect(plannedCopy('s.md', 'a\n', 'a\n', 'x').shown).toEqual([])
})
