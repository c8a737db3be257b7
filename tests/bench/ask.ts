import { type Agent, get } from 'node:http'

/** One answer as a reader sees it, in ms from the moment of asking. */
export interface Answer {
  readonly status: number
  readonly firstByteMs: number
  readonly wholeMs: number
  readonly bytes: number
  /** Kept only where somebody wants to read it. */
  readonly text: string
}

/** Asks once over a connection that is kept. @param keeps is the answer read by somebody? */
export function ask(url: string, agent: Agent, keeps = false): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const began = performance.now()
    let firstByteMs = Number.NaN
    let bytes = 0
    const chunks: Buffer[] = []
    get(url, { agent }, (response) => {
      response.on('data', (chunk: Buffer) => {
        if (bytes === 0) firstByteMs = performance.now() - began
        bytes += chunk.length
        if (keeps || response.statusCode !== 200) chunks.push(chunk)
      })
      response.on('error', reject)
      response.on('end', () => {
        const wholeMs = performance.now() - began
        const text = Buffer.concat(chunks).toString()
        resolve({ status: response.statusCode ?? 0, firstByteMs, wholeMs, bytes, text })
      })
    }).on('error', reject)
  })
}
