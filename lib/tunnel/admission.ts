import { parseDsn } from '../protocol/dsn'
import { fail, type Result, succeed } from '../protocol/result'
import { type Answer, problem, quote } from './answer'

/** Who an envelope says it is from. Nothing else of its DSN is ever used: not the host, the path or the secret. */
export interface Sender {
  readonly publicKey: string
  readonly projectId: string
}

export type Admits = (sent: Sender) => boolean

const MAX_DSN_LENGTH = 512

/** Decides by the envelope header's `dsn` whether an envelope may go on. */
export function admit(headerLine: Uint8Array, admits: Admits): Result<Sender, Answer> {
  const dsn = dsnOf(headerLine)
  if (!dsn.ok) return dsn
  const parsed = parseDsn(dsn.value)
  if (!parsed.ok) return fail(problem(400, 'the envelope header has a dsn that cannot be read', [parsed.error]))
  const { publicKey, projectId } = parsed.value
  if (admits({ publicKey, projectId })) return succeed({ publicKey, projectId })
  return fail(
    problem(403, `no project ${quote(projectId)} with the key ${quote(publicKey)} is taken here`, [
      'the dsn of the envelope header is compared with the configured ones by key and project',
    ]),
  )
}

function dsnOf(headerLine: Uint8Array): Result<string, Answer> {
  let header: unknown
  let text = ''
  try {
    // Not lenient: the collector reads the same bytes and must come to the same header.
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(headerLine)
    header = JSON.parse(text)
  } catch {
    return fail(problem(400, `the first line is ${quote(text)}, meant is an envelope header: one JSON object`))
  }
  if (typeof header !== 'object' || header === null || Array.isArray(header))
    return fail(problem(400, `the first line is ${quote(text)}, meant is an envelope header: one JSON object`))
  const dsn: unknown = 'dsn' in header ? header.dsn : undefined
  if (dsn === undefined)
    return fail(
      problem(400, 'the envelope header has no dsn', ["an SDK writes it there when its option 'tunnel' is set"]),
    )
  // Checked before the URL parser, which strips line breaks and turns backslashes and unicode digits into what they resemble.
  if (typeof dsn !== 'string' || dsn.length > MAX_DSN_LENGTH || !/^https?:\/\/[!-[\]-~]+$/i.test(dsn))
    return fail(
      problem(400, `the envelope header's dsn is ${quote(typeof dsn === 'string' ? dsn : typeof dsn)}`, [
        'a DSN looks like https://PUBLIC_KEY@HOST/PROJECT_ID',
      ]),
    )
  return succeed(dsn)
}
