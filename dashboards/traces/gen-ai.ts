import { isObject, text } from '../../lib/protocol/json-value'

/** A part of a conversation with a language model. */
export interface ModelMessage {
  /** As sent: `system`, `user`, `assistant`, `tool` … */
  readonly role: string
  /** Of a call of a tool or its result; `null` for text. */
  readonly tool: string | null
  readonly text: string
  /** The SDK cut the text, or JSON ends too early: it is shown as it is. */
  readonly isCut: boolean
}

/** The conversation of one call, and the tools that the model could call. */
export interface Conversation {
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly string[]
}

/** Names of the conventions of OpenTelemetry, then those of Sentry, then older ones. */
const SYSTEM = ['gen_ai.system_instructions', 'gen_ai.system_prompt']
const INPUT = ['gen_ai.input.messages', 'gen_ai.request.messages', 'gen_ai.prompt', 'ai.prompt.messages']
const OUTPUT = ['gen_ai.output.messages', 'gen_ai.response.text', 'gen_ai.completion', 'ai.response.text']
const CALLS = ['gen_ai.response.tool_calls', 'ai.response.toolCalls']
const TOOLS = ['gen_ai.tool.definitions', 'gen_ai.request.available_tools']
const ARGUMENTS = ['gen_ai.tool.call.arguments', 'gen_ai.tool.input', 'ai.toolCall.args']
const RESULTS = ['gen_ai.tool.call.result', 'gen_ai.tool.output', 'ai.toolCall.result']

type Attributes = Readonly<Record<string, unknown>>

/** Reads the `gen_ai` attributes of a span, which hold JSON as text. @returns `null` for other spans */
export function conversationOf(attributes: Attributes): Conversation | null {
  const first = (names: readonly string[]): unknown =>
    names.map((name) => attributes[name]).find((value) => value != null)
  const tool = text(attributes['gen_ai.tool.name'])
  const messages = [
    ...messagesOf(first(SYSTEM), 'system'),
    ...messagesOf(first(INPUT), 'user'),
    ...messagesOf(first(OUTPUT), 'assistant'),
    ...callsOf(first(CALLS), 'assistant'),
    ...(tool === null ? [] : [...partOf(first(ARGUMENTS), 'assistant', tool), ...partOf(first(RESULTS), 'tool', tool)]),
  ]
  const tools = listOf(parsed(first(TOOLS)).value).flatMap((one) => nameOf(one) ?? [])
  return messages.length === 0 && tools.length === 0 ? null : { messages, tools }
}

interface Parsed {
  readonly value: unknown
  readonly isCut: boolean
}

/** Attributes are JSON as text; text that only looks like JSON was cut by an SDK. */
function parsed(value: unknown): Parsed {
  if (typeof value !== 'string') return { value, isCut: false }
  try {
    return { value: JSON.parse(value), isCut: false }
  } catch {
    return { value, isCut: /^\s*[[{]/.test(value) || value.includes('[truncated]') }
  }
}

const listOf = (value: unknown): readonly unknown[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]

const shown = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value, null, 2)

function partOf(value: unknown, role: string, tool: string | null): readonly ModelMessage[] {
  const read = parsed(value)
  const content = shown(read.value)
  return content === '' ? [] : [{ role, tool, text: content, isCut: read.isCut || content.includes('[truncated]') }]
}

function messagesOf(value: unknown, role: string): readonly ModelMessage[] {
  const { value: read, isCut } = parsed(value)
  return listOf(read).flatMap((message) => {
    if (!isObject(message))
      return [{ role, tool: null, text: shown(message), isCut: isCut || shown(message).includes('[truncated]') }]
    const of = text(message.role) ?? role
    const content = message.parts ?? message.content ?? (message.role === undefined ? message : undefined)
    return [...listOf(content).flatMap((part) => contentOf(part, of)), ...callsOf(message.tool_calls, of)]
  })
}

function contentOf(part: unknown, role: string): readonly ModelMessage[] {
  if (!isObject(part)) return partOf(part, role, null)
  const type = text(part.type) ?? ''
  if (type === 'tool_call') return partOf(part.arguments, role, nameOf(part) ?? 'tool')
  if (type === 'tool_call_response') return partOf(part.response ?? part.result, 'tool', nameOf(part) ?? 'tool')
  return partOf(part.content ?? part.text ?? part, role, null)
}

function callsOf(value: unknown, role: string): readonly ModelMessage[] {
  return listOf(parsed(value).value).flatMap((call) => {
    if (!isObject(call)) return partOf(call, role, 'tool')
    const made = isObject(call.function) ? call.function : call
    return partOf(made.arguments ?? made.args ?? made.input, role, nameOf(call) ?? 'tool')
  })
}

function nameOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  if (!isObject(value)) return null
  return text(value.name) ?? text(value.toolName) ?? (isObject(value.function) ? text(value.function.name) : null)
}
