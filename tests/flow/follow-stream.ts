import type { CollectorProcess } from './collector-process'

/** One server-sent event of `GET /query/stream`. */
export interface Message {
  readonly event: string
  readonly id: string | null
  readonly data: string
}

/** Reads the live stream message by message, and closes it when the reader stops. */
export async function* follow(
  collector: Pick<CollectorProcess, 'url'>,
  headers: Record<string, string> = {},
): AsyncGenerator<Message> {
  const abort = new AbortController()
  const response = await fetch(`${collector.url}/query/stream`, { headers, signal: abort.signal })
  let text = ''
  try {
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString()
      for (let cut = text.indexOf('\n\n'); cut >= 0; cut = text.indexOf('\n\n')) {
        const fields = new Map(
          text
            .slice(0, cut)
            .split('\n')
            .map((line): [string, string] => [line.split(':', 1)[0] ?? '', line.slice(line.indexOf(':') + 1).trim()]),
        )
        text = text.slice(cut + 2)
        yield { event: fields.get('event') ?? '', id: fields.get('id') ?? null, data: fields.get('data') ?? '' }
      }
    }
  } finally {
    abort.abort()
  }
}
