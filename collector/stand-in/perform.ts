import type { ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { createGzip, gzipSync } from 'node:zlib'
import type { ScriptedAnswer } from '../../lib/wire/stand-in'
import { cut, type HeldPosts } from './held-posts'

const OVERSIZED_BYTES = 64 * 1024 * 1024
const CHUNK_BYTES = 64 * 1024
const DRIP_MS = 1000

export interface Performing {
  readonly held: HeldPosts
  /** Runs work later; returns how to take it back. */
  readonly later: (work: () => void, ms: number) => () => void
}

/** Does with a post what a rule says. */
export function perform(response: ServerResponse, answer: ScriptedAnswer, tools: Performing): void {
  if (answer.delayMs === 0) {
    act(response, answer, tools)
    return
  }
  if (!tools.held.hold(response)) return
  const takeBack = tools.later(() => act(response, answer, tools), answer.delayMs)
  response.once('close', takeBack)
}

function act(response: ServerResponse, answer: ScriptedAnswer, tools: Performing): void {
  switch (answer.does) {
    case 'answer':
      head(response, answer)
      response.end(answer.gzip ? gzipSync(answer.body) : answer.body)
      return
    case 'hang':
      tools.held.hold(response)
      return
    case 'drip':
      if (tools.held.hold(response)) drip(response, answer, tools.later)
      return
    case 'reset':
      cut(response)
      return
    case 'oversized':
      if (tools.held.hold(response)) pour(response, answer)
  }
}

const head = (response: ServerResponse, { status, headers, gzip }: ScriptedAnswer): ServerResponse =>
  response.writeHead(status, { ...headers, ...(gzip && { 'content-encoding': 'gzip' }) })

/** A byte a second; a body comes to its end so, no body never does. */
function drip(response: ServerResponse, answer: ScriptedAnswer, later: Performing['later']): void {
  head(response, { ...answer, gzip: false }).flushHeaders()
  const bytes = Buffer.from(answer.body)
  let at = 0
  const drop = (): void => {
    response.write(bytes.length === 0 ? ' ' : bytes.subarray(at, at + 1))
    at += 1
    if (at === bytes.length) response.end()
    else takeBack = later(drop, DRIP_MS)
  }
  let takeBack = later(drop, DRIP_MS)
  response.once('close', () => takeBack())
}

/** As fast as it is taken, and no more of it at hand than a chunk. */
function pour(response: ServerResponse, answer: ScriptedAnswer): void {
  head(response, answer)
  const body = Readable.from(zeros(), { objectMode: false, highWaterMark: CHUNK_BYTES })
  // Whoever has heard enough hangs up, which is no failure of ours.
  const ended = (): void => undefined
  if (answer.gzip) pipeline(body, createGzip(), response, ended)
  else pipeline(body, response, ended)
}

function* zeros(): Generator<Buffer> {
  const chunk = Buffer.alloc(CHUNK_BYTES)
  for (let sent = 0; sent < OVERSIZED_BYTES; sent += CHUNK_BYTES) yield chunk
}
