import { type JsonObject, number, text } from '../protocol/json-value'
import { namesOf } from './registered-attributes'

interface DescribedSpan {
  /** The name that was sent, or a better one where that says nothing about its target. */
  readonly name: string
  readonly op: string | null
  /** `ok`, `error` or `null`; used where the span itself has no status. */
  readonly status: string | null
}

interface SentSpan {
  readonly name: string
  readonly kind: string
  readonly attributes: JsonObject
}

/**
 * Derives operation, name and status of a span from the semantic conventions, under current and older names. Attributes of
 * Sentry (`sentry.op`) take precedence. Operations are those of `@sentry/conventions/op`. @param span with its kind in
 * lower case
 */
export function describeSpan(span: SentSpan): DescribedSpan {
  const { name, attributes } = span
  const status = statusOf(attributes)
  const ownOp = text(attributes['sentry.op'])
  // Sentry's SDK has named it already.
  if (ownOp !== null) return { name, op: ownOp, status }
  const convention = CONVENTIONS.find(({ holds }) => holds(attributes))
  const better = convention?.name?.(span)?.slice(0, LONGEST_NAME)
  return { name: better ?? name, op: convention?.op(span) ?? null, status }
}

/** A query may have megabytes. */
const LONGEST_NAME = 1000

interface Convention {
  readonly holds: (attributes: JsonObject) => boolean
  readonly op: (span: SentSpan) => string | null
  /** `null` keeps the name that was sent. */
  readonly name?: (span: SentSpan) => string | null
}

const METHOD = namesOf('http.request.method').filter((name) => name.includes('.'))
const STATUS_CODE = namesOf('http.response.status_code')
const ADDRESS = namesOf('url.full').filter((name) => name === 'url.full' || name === 'http.url')
const DATABASE = ['db.system.name', 'db.system'] as const
const OPERATION = 'gen_ai.operation.name'

/**
 * The first that holds counts. A call of a database, a queue or a model may carry attributes of the protocol below it: a
 * span of Elasticsearch has `http.request.method`, and one of DynamoDB has `rpc.system`.
 */
const CONVENTIONS: readonly Convention[] = [
  {
    holds: (attributes) => isSet(attributes, [OPERATION, ...namesOf('gen_ai.provider.name')]),
    op: ({ attributes }) => (text(attributes[OPERATION]) === null ? 'gen_ai' : `gen_ai.${text(attributes[OPERATION])}`),
    name: nameOfGenAi,
  },
  { holds: (attributes) => isSet(attributes, ['mcp.method.name']), op: opOfMcp },
  { holds: (attributes) => isSet(attributes, DATABASE), op: () => 'db', name: nameOfQuery },
  { holds: (attributes) => isSet(attributes, ['messaging.system']), op: opOfMessage, name: nameOfMessage },
  { holds: (attributes) => isSet(attributes, METHOD), op: opOfRequest, name: nameOfRequest },
  { holds: (attributes) => isSet(attributes, namesOf('rpc.system.name')), op: () => 'rpc' },
  { holds: (attributes) => isSet(attributes, ['graphql.operation.type', 'graphql.document']), op: () => 'graphql' },
  { holds: (attributes) => isSet(attributes, ['faas.invoked_name']), op: opOfInvocation },
  {
    holds: (attributes) => isSet(attributes, ['faas.trigger']),
    op: ({ attributes }) => text(attributes['faas.trigger']),
  },
]

const isSet = (attributes: JsonObject, names: readonly string[]): boolean =>
  names.some((name) => attributes[name] !== undefined && attributes[name] !== null)

function firstText(attributes: JsonObject, names: readonly string[]): string | null {
  for (const name of names) {
    const value = text(attributes[name])
    if (value !== null && value !== '') return value
  }
  return null
}

/** `chat gpt-4`, `execute_tool weather`, `invoke_agent planner`: the operation and its target (Sentry and OpenTelemetry alike). */
function nameOfGenAi({ name, attributes }: SentSpan): string | null {
  const operation = text(attributes[OPERATION])
  const target = firstText(attributes, TARGETS[operation ?? ''] ?? MODEL)
  return operation === null || target === null || name.includes(target) ? null : `${operation} ${target}`
}

const MODEL = [...namesOf('gen_ai.request.model'), 'gen_ai.response.model']
const TARGETS: Readonly<Record<string, readonly string[]>> = {
  execute_tool: ['gen_ai.tool.name'],
  invoke_agent: ['gen_ai.agent.name'],
  create_agent: ['gen_ai.agent.name'],
  invoke_workflow: ['gen_ai.workflow.name'],
}

function opOfMcp({ kind }: SentSpan): string | null {
  return kind === 'server' ? 'mcp.server' : null
}

/** A name of one word is the operation, the database or its product. Sentry names a query by its text. */
function nameOfQuery({ name, attributes }: SentSpan): string | null {
  return /\s/.test(name) ? null : firstText(attributes, ['db.query.text', 'db.statement'])
}

/** By `messaging.operation.type` and its older names. */
const QUEUE_OPS: Readonly<Record<string, string>> = {
  create: 'queue.create',
  send: 'queue.publish',
  publish: 'queue.publish',
  receive: 'queue.receive',
  process: 'queue.process',
  deliver: 'queue.process',
  settle: 'queue.settle',
}
const OPS_BY_KIND: Readonly<Record<string, string>> = { producer: 'queue.publish', consumer: 'queue.process' }

function opOfMessage({ kind, attributes }: SentSpan): string {
  const operation = firstText(attributes, ['messaging.operation.type', ...namesOf('messaging.operation.name')])
  return QUEUE_OPS[operation ?? ''] ?? OPS_BY_KIND[kind] ?? 'queue'
}

function nameOfMessage({ name, attributes }: SentSpan): string | null {
  const destination = firstText(attributes, namesOf('messaging.destination.name'))
  return /\s/.test(name) || destination === null || name.includes(destination) ? null : `${name} ${destination}`
}

function opOfRequest({ kind }: SentSpan): string {
  return kind === 'client' || kind === 'server' ? `http.${kind}` : 'http'
}

/** Only a name that is the method alone is extended, as Sentry names requests: `GET /cart/{id}`, `GET https://shop/cart`. */
function nameOfRequest({ name, kind, attributes }: SentSpan): string | null {
  const method = firstText(attributes, METHOD)
  if (method === null || !ONLY_METHOD.test(name)) return null
  const target = kind === 'client' ? clientTarget(attributes) : serverTarget(attributes)
  return target === null ? null : `${method === UNKNOWN_METHOD ? 'HTTP' : method} ${target}`
}

/** Stands for a method that the instrumentation does not know (semantic conventions, `http.request.method`). */
const UNKNOWN_METHOD = '_OTHER'

/** `HTTP GET` is the name by older conventions, `HTTP` the one of an unknown method. */
const ONLY_METHOD = /^(?:HTTP ?)?[A-Z]*$/

function serverTarget(attributes: JsonObject): string | null {
  const target = firstText(attributes, ['http.route', 'url.path', 'http.target'])
  return target === null ? null : target.replace(/[?#].*$/, '')
}

/** The address without query and credentials, which are secrets more often than they are useful. */
function clientTarget(attributes: JsonObject): string | null {
  const address = firstText(attributes, ADDRESS)
  const template = firstText(attributes, ['url.template'])
  if (template !== null) return template
  if (address === null || !URL.canParse(address)) return null
  const { origin, pathname } = new URL(address)
  return origin === 'null' ? null : `${origin}${pathname}`
}

const PROVIDERS = ['aws', 'gcp', 'azure'] as const

/** `faas.invoked_provider` is `aws`, `gcp`, `azure`, or one that Sentry has no operation for. */
function opOfInvocation({ attributes }: SentSpan): string {
  const provider = PROVIDERS.find((one) => one === attributes['faas.invoked_provider'])
  return provider === undefined ? 'function' : `function.${provider}`
}

/** An HTTP status of 400 and above, a status of RPC other than OK, and an `error.type` are errors (Sentry, "Span Status"). */
function statusOf(attributes: JsonObject): string | null {
  if (isSet(attributes, ['error.type'])) return 'error'
  const codes = STATUS_CODE.map((name) => number(attributes[name]) ?? digits(attributes[name]))
  const code = codes.find((one) => one !== null) ?? null
  if (code !== null) return code >= 400 ? 'error' : 'ok'
  const rpc = attributes['rpc.response.status_code'] ?? attributes['rpc.grpc.status_code']
  if (typeof rpc === 'number') return rpc === 0 ? 'ok' : 'error'
  if (typeof rpc !== 'string' || rpc === '') return null
  return /^(?:0|OK)$/i.test(rpc) ? 'ok' : 'error'
}

/** Some instrumentations send the status as text. */
const digits = (value: unknown): number | null =>
  typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : null
