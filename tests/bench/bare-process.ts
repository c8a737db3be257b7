import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

/** The baseline for the collector: a Hono handler that reads the body, drops it and answers 200. */
const app = new Hono()
app.post('/api/:project/envelope/', async (c) => {
  await c.req.arrayBuffer()
  return c.json({})
})
const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, (info: AddressInfo) => {
  process.send?.({ port: info.port })
})
process.on('message', () => server.close(() => process.exit(0)))
