import { expect, it } from 'vitest'
import type { RuleName } from '../../../lib/scrub/rules'
import { scrubText } from '../../../lib/scrub/scrub-text'

function scrub(text: string): { readonly text: string; readonly rules: readonly RuleName[] } {
  const rules: RuleName[] = []
  return { text: scrubText(text, 'plain', (rule) => rules.push(rule)), rules }
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'
/** Assembled here, so that this file contains nothing that looks like a key. */
const key = (prefix: string, length: number): string => `${prefix}${LETTERS.repeat(2).slice(0, length)}`
const capitals = (prefix: string, length: number): string => `${prefix}${LETTERS.toUpperCase().slice(0, length)}`

it.each([
  key('sk_live_', 24),
  key('sk_test_', 24),
  key('rk_live_', 24),
  key('ghp_', 36),
  key('gho_', 36),
  key('ghs_', 36),
  key('github_pat_', 40),
  key('xoxb-123456789012-', 10),
  key('xoxp-123456789012-', 10),
  key('xoxa-2-', 12),
  capitals('AKIA', 16),
  capitals('ASIA', 16),
  key('AIza', 35),
  key('glpat-', 20),
  key('npm_', 36),
  key('sntrys_', 40),
  key('whsec_', 32),
  key('sk-proj-', 60),
  key('sk-ant-api03-', 60),
  key('sk-', 48),
  key('pypi-AgEIcHlwaS5vcmc', 60),
  key('dckr_pat_', 27),
  key('hf_', 34),
  key('hvs.', 24),
  key('GOCSPX-', 28),
  key('ya29.', 30),
  key('gldt-', 20),
  key('lin_api_', 40),
  key('sb_secret_', 31),
  key('pscale_tkn_', 40),
  key('gsk_', 52),
  'xapp-1-A0123456789-1234567890123-'.concat('0f1e2d3c'.repeat(8)),
  'dop_v1_'.concat('0f1e2d3c'.repeat(8)),
  'rubygems_'.concat('0f1e2d3c'.repeat(6)),
  'sqp_'.concat('0f1e2d3c'.repeat(5)),
  'shpat_'.concat('0f1e2d3c'.repeat(4)),
  'dapi'.concat('0f1e2d3c'.repeat(4)),
  'key-'.concat('0f1e2d3c'.repeat(4)),
  '0f1e2d3c'.repeat(4).concat('-us12'),
  'SG.'.concat(key('', 22), '.', key('', 43)),
  'hooks.slack.com/services/'.concat(key('T', 8), '/', key('B', 10), '/', key('', 24)),
  '1234567890:AA'.concat(key('', 33)),
])('a key in the format of a vendor is removed, and the text around it stays: %s', (secret) => {
  expect(scrub(`got ${secret}, refused; x%3D${secret}`)).toEqual({
    text: 'got [Filtered], refused; x%3D[Filtered]',
    rules: ['vendor_key'],
  })
  expect(scrub('got [Filtered], refused; x%3D[Filtered]').rules).toEqual([])
})

it.each([
  [
    'an address of a repository',
    `https://${key('ghp_', 36)}@github.test/a/b.git`,
    'https://[Filtered]@github.test/a/b.git',
  ],
  ['an address of any host', `https://${key('x', 30)}@h.test/a.git`, 'https://[Filtered]@h.test/a.git'],
])('a key in the format of a vendor is removed from %s', (_what, before, after) => {
  expect(scrub(before)).toEqual({ text: after, rules: ['vendor_key'] })
})

it.each([
  ['a key for everybody', key('pk_live_', 24)],
  ['short ones', 'ghp_short sk_live_x xoxb-1 glpat-x github_pat_a'],
  ['the middle of a word', `a${key('ghp_', 36)} task_live_${LETTERS} desk_test_${LETTERS}`],
  ['capitals of another length', `${capitals('AKIA', 15)} ${capitals('AKIA', 17)} ${capitals('XAKIA', 16)}`],
  ['letters of another length', `${key('AIza', 34)} ${key('AIza', 36)} ${key('npm_', 35)}`],
  ['variables of npm', 'npm_config_registry npm_lifecycle_event npm_package_dependencies_react'],
  ['the key of a DSN', 'https://0123456789abcdef0123456789abcdef@o1.ingest.test/5'],
  ['a user without a digit, or a short one', 'ssh://somebody-of-the-company@h.test/x https://bob1@h.test/x'],
  ['a path with a version', 'https://h.test/npm/@scope/a1b2c3d4e5f6g7h8i9j0k1@1.2.3'],
])('a key in the format of a vendor is not %s', (_what, text) => {
  expect(scrub(text)).toEqual({ text, rules: [] })
})
