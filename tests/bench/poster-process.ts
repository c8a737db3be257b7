import { Agent, request } from 'node:http'
import Database from 'better-sqlite3'
import { inflateBody } from '../../collector/spool/record-body'
import type { PostOrder } from './messages'

/*
 * The baseline for the relay: posts the bodies of a spool over keep-alive connections, as many as the relay uses. It reads
 * all bodies first and then answers with their number; the next message starts the posts.
 */
// A child does not keep running because of its IPC channel alone, and this one has no other work yet.
process.channel?.ref()
process.once('message', ({ file, port, open }: PostOrder) => {
  const db = new Database(file, { readonly: true })
  const rows = db.prepare('SELECT deflated, bytes, body FROM submissions ORDER BY seq').all() as Parameters<
    typeof inflateBody
  >[0][]
  db.close()
  const bodies = rows.map(inflateBody)
  process.once('message', () => {
    void postAll(bodies, port, open).then(() => process.send?.({ posted: bodies.length }))
  })
  process.send?.({ bodies: bodies.length })
})

async function postAll(bodies: readonly Uint8Array[], port: number, open: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: open, scheduling: 'lifo' })
  let next = 0
  const postInTurn = async (): Promise<void> => {
    for (let body = bodies[next]; body !== undefined; body = bodies[next]) {
      next += 1
      await postOne(agent, port, body)
    }
  }
  await Promise.all(Array.from({ length: open }, postInTurn))
  agent.destroy()
}

const postOne = (agent: Agent, port: number, body: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/x-sentry-envelope', 'content-length': body.length }
    const post = request({ agent, host: '127.0.0.1', port, method: 'POST', path: '/api/1/envelope/', headers })
    post.on('error', reject)
    post.on('response', (answer) => {
      answer.resume()
      answer.on('end', resolve)
    })
    post.end(body)
  })
