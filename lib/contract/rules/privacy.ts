import type { SeenItem } from '../../evidence/evidence'
import { scrubEnvelopeHeader, scrubItemHeader } from '../../scrub/header-line'
import { scrubPayload } from '../../scrub/payload'
import { removedPath } from '../../scrub/removed-path'
import { type RuleName, RULES as SECRETS } from '../../scrub/rule'
import { hasWords } from '../../scrub/scrub-record'
import { scrubText } from '../../scrub/scrub-text'
import { type Finding, type FoundAt, KEPT_FINDINGS, type Verdict } from '../verdict'
import type { Rule } from './rule'

/** On a developer's own machine each stack trace names whose it is; nobody else learns it from there. */
const NOT_JUDGED: ReadonlySet<RuleName> = new Set(['user_path'])

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * Judged from every text of header lines and of items that hold somebody's words, by the rules of scrubbing and the same
 * walk: what `WAYSTATION_SCRUB` would take out is what is found here. A finding says rule and path, and never the value.
 * Copies are judged with the rest, for a copy is what the SDK sends to its own DSN. Attachments and recordings of replays
 * are not looked into. Where only they were recorded, nothing could be judged. A payload that should be JSON and is not is
 * looked at as one text: what is found in it is told, and where nothing is, nobody knows, for it has no names to go by.
 */
export const privacyRule: Rule = {
  id: 'privacy',
  title: 'Nothing secret is sent',
  why: 'What was sent is in the hands of whoever may open the project, for as long as it is kept.',
  setting: null,
  judgedFrom: ['telemetry'],
  severity: 'error',
  mend: 'Take it out in beforeSend or where it is set, sendDefaultPii off; WAYSTATION_SCRUB takes it out on its way.',
  judge: ({ evidence }): Verdict => {
    const findings: Finding[] = []
    let found = 0
    let judged = 0
    let unread: SeenItem | null = null
    const tellOf =
      (about: () => string, at: () => FoundAt, prefix: readonly string[]) =>
      (rule: RuleName, way: () => readonly (string | number)[]): void => {
        if (NOT_JUDGED.has(rule)) return
        found += 1
        if (findings.length >= KEPT_FINDINGS) return
        findings.push({ about: about(), at: at(), path: removedPath([...prefix, ...way()]), ...wordsOf(rule) })
      }
    for (const { seq, header } of evidence.envelopes) {
      const tell = tellOf(
        () => `the header of envelope ${seq}`,
        () => ({ seq, item: -1 }),
        ['header'],
      )
      scrubEnvelopeHeader(encoder.encode(JSON.stringify(header)), tell)
    }
    for (const item of evidence.items) {
      const about = (): string => `${item.type} item of envelope ${item.seq}`
      const at = (): FoundAt => placeOf(item)
      scrubItemHeader(encoder.encode(JSON.stringify(item.header)), tellOf(about, at, ['header']))
      if (!hasWords(item.type, item.header.meta_length)) continue
      const tell = tellOf(about, at, [])
      if (isJson(item)) {
        judged += 1
        scrubPayload(item.payload, tell)
      } else {
        unread ??= item
        scrubText(decoder.decode(item.payload), 'plain', (rule) => tell(rule, () => []))
      }
    }
    if (found > 0) return { verdict: 'fail', judged: Math.max(1, judged), found, findings }
    if (unread !== null)
      return {
        verdict: 'incomplete',
        why: `The ${unread.type} item of envelope ${unread.seq} is no JSON, so nobody can tell what each text in it is.`,
      }
    if (judged > 0) return { verdict: 'pass', judged }
    return { verdict: 'incomplete', why: 'No item was recorded whose words could be read.' }
  },
}

/** Where the walk could read it, its first byte tells what it is: most payloads are not parsed again. */
function isJson({ payload, problem }: SeenItem): boolean {
  if (problem === null) return /^\ufeff?\s*[[{"]/.test(decoder.decode(payload.subarray(0, 64)))
  try {
    JSON.parse(decoder.decode(payload))
    return true
  } catch {
    return false
  }
}

const wordsOf = (rule: RuleName): Pick<Finding, 'seen' | 'wanted'> => ({
  seen: `${rule}: ${SECRETS[rule]}`,
  wanted: 'nothing of the kind',
})

const placeOf = ({ seq, item, traceId, eventId }: SeenItem): FoundAt => ({ seq, item, traceId, eventId })
