/** Imports undici's agent alone: the whole package, with its fetch, takes three times as long to load. */
declare module 'undici/lib/dispatcher/agent.js' {
  import type { Agent } from 'undici'

  const agent: typeof Agent
  export = agent
}
