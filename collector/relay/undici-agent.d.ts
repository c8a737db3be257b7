/** Of undici the agent alone: the whole of it, with a fetch of its own, takes three times as long to be read at a start. */
declare module 'undici/lib/dispatcher/agent.js' {
  import type { Agent } from 'undici'

  const agent: typeof Agent
  export = agent
}
