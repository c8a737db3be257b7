import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { onTestFinished } from 'vitest'
import { endCollectors, temporaryFolder } from './collector-process'
import { commandArguments } from './run-process'

/** A real client whose server is the bundled command. */
export async function connect(collectorUrl: string) {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const folder = temporaryFolder()
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: commandArguments(['mcp'], folder),
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', WAYSTATION_COLLECTOR_URL: collectorUrl },
    stderr: 'pipe',
  })
  await client.connect(transport)
  onTestFinished(async () => {
    await client.close()
    endCollectors()
  })
  return {
    client,
    call: async (name: string, given: Record<string, unknown> = {}) => {
      const { content, isError = false } = await client.callTool({ name, arguments: given })
      const [first] = content
      return { text: first?.type === 'text' ? first.text : '', isError, parts: content.length }
    },
  }
}
