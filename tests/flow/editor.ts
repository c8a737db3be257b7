import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as z from 'zod'
import { ROOT } from './packed'

const HEAD_END = '\r\n\r\n'

const messageSchema = z.object({
  id: z.union([z.number(), z.string()]).optional(),
  method: z.string().optional(),
  result: z.unknown().optional(),
})
const hoverSchema = z.object({ contents: z.object({ value: z.string() }) }).nullable()

interface PendingRequest {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/** An editor with one file open. */
export interface Editor {
  /** The hover text of the last identifier in this piece of the file. */
  readonly hover: (piece: string) => Promise<string>
  readonly close: () => Promise<void>
}

/** Opens a file with the language server of TypeScript, as editors do. */
export async function openInEditor(file: string): Promise<Editor> {
  const server = spawn(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '--lsp', '--stdio'], {
    cwd: dirname(file),
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const text = readFileSync(file, 'utf8')
  const uri = pathToFileURL(file).href
  const waiting = new Map<number | string, PendingRequest>()
  const send = (message: object): void => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message })
    server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}${HEAD_END}${body}`)
  }
  let lastId = 0
  const request = (method: string, params: unknown = null): Promise<unknown> => {
    lastId += 1
    const id = lastId
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      send({ id, method, params })
    })
  }
  const fail = (error: unknown): void => {
    for (const { reject } of waiting.values()) reject(error)
  }
  const ended = once(server, 'exit').then(() => fail(new Error('the language server ended before it answered')))
  const take = (body: string): void => {
    const { id, method, result } = messageSchema.parse(JSON.parse(body))
    // A request of the server, for settings of the editor, which has none.
    if (id !== undefined && method !== undefined) send({ id, result: null })
    else if (id !== undefined) waiting.get(id)?.resolve(result)
  }
  let unread = Buffer.alloc(0)
  const read = (chunk: Buffer): void => {
    unread = Buffer.concat([unread, chunk])
    for (let end = unread.indexOf(HEAD_END); end >= 0; end = unread.indexOf(HEAD_END)) {
      const from = end + HEAD_END.length
      const length = Number(/Content-Length: (\d+)/i.exec(unread.toString('latin1', 0, end))?.[1])
      if (unread.length < from + length) return
      const body = unread.toString('utf8', from, from + length)
      unread = unread.subarray(from + length)
      take(body)
    }
  }
  server.stdout.on('data', (chunk: Buffer) => {
    try {
      read(chunk)
    } catch (error) {
      fail(error)
    }
  })
  await request('initialize', { processId: process.pid, rootUri: pathToFileURL(dirname(file)).href, capabilities: {} })
  send({ method: 'initialized', params: {} })
  send({
    method: 'textDocument/didOpen',
    params: { textDocument: { uri, languageId: 'typescript', version: 1, text } },
  })
  return {
    hover: async (piece) => {
      const at = text.indexOf(piece)
      if (at < 0) throw new Error(`${piece} is not in ${file}`)
      const lines = text.slice(0, at + piece.length).split('\n')
      const position = { line: lines.length - 1, character: (lines.at(-1) ?? '').length - 1 }
      const hover = await request('textDocument/hover', { textDocument: { uri }, position })
      return hoverSchema.parse(hover)?.contents.value ?? ''
    },
    close: async () => {
      await request('shutdown')
      send({ method: 'exit' })
      await ended
    },
  }
}
