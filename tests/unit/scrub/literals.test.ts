import { expect, it } from 'vitest'
import type { RuleName } from '../../../lib/scrub/rules'
import { scrubText } from '../../../lib/scrub/scrub-text'

function scrub(line: string): { readonly line: string; readonly rules: readonly RuleName[] } {
  const rules: RuleName[] = []
  return { line: scrubText(line, 'source', (rule) => rules.push(rule)), rules }
}

it.each([
  ['const password = form.password, token = "abc"', 'const password = form.password, token = "[Filtered]"'],
  ['set_extra("db_pass","hunter2")', 'set_extra("db_pass","[Filtered]")'],
  ["scope.setTag( 'api_key', `k-1` )", "scope.setTag( 'api_key', `[Filtered]` )"],
  ['config["password"] = "hunter2"', 'config["password"] = "[Filtered]"'],
  ['if password == "hunter2":', 'if password == "[Filtered]":'],
  ['url = "https://h.test/?token=abc&x=1"', 'url = "https://h.test/?token=[Filtered]&x=1"'],
  ["dsn = f'host={host} password=hunter2'", "dsn = f'host={host} password=[Filtered]'"],
  ["# don't log `password=hunter2`", "# don't log `password=[Filtered]`"],
  ['run(["mysql", "--password", "hunter2"])', 'run(["mysql", "--password", "[Filtered]"])'],
  ['sh("mysql --password hunter2 shop")', 'sh("mysql --password [Filtered] shop")'],
  ['x = "a \\"b\\" token=abc"; y = token', 'x = "a \\"b\\" token=[Filtered]"; y = token'],
  ['password: str = "x"', 'password: str = "[Filtered]"'],
  ["token = 'cut off", "token = '[Filtered]"],
  ["# the users' token = 'cut off", "# the users' token = '[Filtered]"],
  ['password = f"{user}-hunter2"', 'password = f"[Filtered]"'],
  ['x("passwords", {"api_key": ["a"], "n": "b"})', 'x("passwords", {"api_key": ["[Filtered]"], "n": "b"})'],
  ['creds=("u", "p"); y = ("u", "p")', 'creds=("[Filtered]", "[Filtered]"); y = ("u", "p")'],
  [
    'h = [["Host","h"], ["X-Api-Key","k"]]; i = [("token","t")]',
    'h = [["Host","h"], ["X-Api-Key","[Filtered]"]]; i = [("token","[Filtered]")]',
  ],
  ['headers = {"Authorization": "Bearer abc"}', 'headers = {"Authorization": "[Filtered]"}'],
])('a line of source loses the literal secret in %j', (before, after) => {
  expect(scrub(before)).toEqual({ line: after, rules: ['parameter'] })
  expect(scrub(after)).toEqual({ line: after, rules: [] })
})

it.each([
  'const password = form.password',
  'fields = ["password", "email"]',
  'validate(["password", "email"])',
  'set_extra("monkey","george")',
  'get("token", "")',
  'get("token", null)',
  'get("token"); put("a", "b")',
  'f"?token={token}&pwd={user.pwd!r}"',
  '`Authorization: Bearer $'.concat('{token} and password=$', '{await ask()}`'),
  '"password=%s token=%(token)s" % x',
  'sh("login --token $TOKEN --password {pw}")',
  '"Authorization: Bearer " + token',
  '"password=" + password',
  'password = f"{form.password}"',
  'x = "monkey"; password',
  'token = get("x", "y")',
  'token = {"a": b}',
  'check(["password", "email"], x)',
  "it's token = password; don't",
])('a line of source keeps %j', (line) => {
  expect(scrub(line)).toEqual({ line, rules: [] })
})
