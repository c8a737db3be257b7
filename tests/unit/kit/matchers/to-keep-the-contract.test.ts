import type { ContractOptions } from '../../../../lib/kit/matchers/to-keep-the-contract'
import '../../../../lib/kit/vitest'
import { expect, it } from 'vitest'
import { errorEnvelope, transactionEnvelope } from '../../../flow/envelopes'
import { containerOf, drawn } from '../../verdict/rules/sample-evidence'
import { failureLines, failureMessage, recordedCase } from '../recorded-case'

const DSN = 'http://local@127.0.0.1:8969/1'

const clean = () => transactionEnvelope(DSN, { children: 0 }).body
const leaky = () => errorEnvelope(DSN, { message: 'mail jane.doe@example.com' }).body

it('passes if all rules with data pass', async () => {
  const { recording } = await recordedCase([clean()])
  await expect(recording).toKeepTheContract()
  const { recording: other } = await recordedCase([leaky()])
  await expect(other).toKeepTheContract({ only: ['environment'] })
  await expect(other).toKeepTheContract({ rules: { privacy: 'off' } })
  await expect(other).not.toKeepTheContract()
})

it('shows the failed rule with position and fix', async () => {
  const { recording } = await recordedCase([leaky()])
  expect(await failureLines(() => expect(recording).toKeepTheContract({ only: ['privacy', 'tunnel'] }))).toEqual([
    '  ✗ Telemetry check failed: 1 of 1 check',
    '    Checked 1 envelope stamped mine with 1 item',
    '',
    '  ✗ No secrets are sent (privacy)',
    '    event item of envelope 1',
    '      path      exception.values.0.value',
    '      expected  no secrets',
    '      actual    email: an e-mail address (***@example.com)',
    '      open      http://localhost:3000/events/<trace>',
    '    fix: Remove it in the code that sets it or in beforeSend, and set',
    '         sendDefaultPii: false. WAYSTATION_SCRUB removes it before relaying. Is',
    '         it no secret? Add its path or a pattern to privacy: { allow: [{ path,',
    '         pattern }] }.',
  ])
})

it('ignores unhandled errors that the test allows', async () => {
  const unhandled = errorEnvelope(DSN, { message: 'declined' }).body.replace('"handled":true', '"handled":false')
  const { recording } = await recordedCase([unhandled])
  const only = ['unhandled-errors', 'environment'] as const
  await expect(recording).not.toKeepTheContract({ only })
  await expect({ ...recording, allowed: () => [{ error: /declined/ }] }).toKeepTheContract({ only })
})

it('explains a negated failure', async () => {
  const { recording } = await recordedCase([clean()])
  expect(
    await failureMessage(() => expect(recording).not.toKeepTheContract({ only: ['missing-release', 'duplicate-ids'] })),
  ).toBe('the contract holds (2 rules passed); expected a violation')
})

it('is incomplete without telemetry, or without data for a named rule', async () => {
  const { recording: nothing } = await recordedCase([])
  expect(await failureMessage(() => expect(nothing).toKeepTheContract({ only: ['environment'] }))).toContain(
    'Telemetry check is incomplete',
  )
  const { recording } = await recordedCase([clean()])
  const tunnel = { only: ['tunnel'] } as const
  const words = await failureMessage(() => expect(recording).toKeepTheContract(tunnel))
  expect(words).toContain('Browser requests can')
  expect(await failureMessage(() => expect(recording).not.toKeepTheContract(tunnel))).toBe(words)
})

it('skips a trace with an unreadable submission', async () => {
  const torn = drawn(`
    pageload /cart              ========
      http.client GET /api       ====
        db SELECT 1               ==
  `).filter(({ op }) => op !== 'http.client')
  const { recording, collector } = await recordedCase([containerOf(torn)])
  const orphans = { only: ['orphans'], rules: { orphans: 'error' } } as const
  expect(await failureMessage(() => expect(recording).toKeepTheContract(orphans))).toContain('which is not in trace')
  collector.damage(2)
  collector.record(clean(), 'mine')
  await recording.settle()
  const words = await failureMessage(() => expect(recording).toKeepTheContract(orphans))
  expect(words).toMatch(/^incomplete: envelope 2 cannot be read: its bytes on disk are damaged/)
  expect(words).toContain('2 were skipped')
  expect(await failureMessage(() => expect(recording).not.toKeepTheContract(orphans))).toBe(words)
})

it('suggests a rule', async () => {
  const { recording } = await recordedCase([clean()])
  // Rejected by the types too; this covers plain JavaScript.
  const untyped = (options: object): ContractOptions => options as ContractOptions
  const only = untyped({ only: ['enviroment'] })
  const rules = untyped({ rules: { privcy: 'off' } })
  expect(await failureMessage(() => expect(recording).toKeepTheContract(only))).toBe(
    'TypeError: toKeepTheContract: "enviroment" is not a rule; did you mean environment?',
  )
  expect(await failureMessage(() => expect(recording).toKeepTheContract(rules))).toBe(
    'TypeError: toKeepTheContract: rules: "privcy" is not a rule; did you mean privacy?',
  )
})
