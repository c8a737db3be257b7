// Stands for your own app: one page, and a tunnel that keeps envelopes on disk while no collector answers.
import { createServer } from 'node:http'
import { nodeTunnel } from 'waystation/tunnel'

const PAGE = `<!doctype html><meta charset="utf-8"><title>An app on the path</title>
<button>Send an error</button> <output></output>
<script>
document.querySelector('button').onclick = async () => {
  const event_id = crypto.randomUUID().replaceAll('-', '')
  const event = { event_id, platform: 'javascript', exception: { values: [{ type: 'Error', value: 'sent by the button' }] } }
  const lines = [{ event_id, dsn: DSN }, { type: 'event' }, event].map((line) => JSON.stringify(line))
  const { status } = await fetch('/tunnel', { method: 'POST', body: lines.join('\\n') })
  document.querySelector('output').textContent = status
}
</script>`.replace('DSN', () => JSON.stringify(process.env.WAYSTATION_DSN))

const tunnel = nodeTunnel({ dsn: process.env.WAYSTATION_DSN, lifeboatFolder: '/data' })

createServer((request, response) => {
  if (request.method === 'POST' && request.url === '/tunnel') tunnel(request, response)
  else response.setHeader('content-type', 'text/html').end(PAGE)
}).listen(Number(process.env.PORT))
