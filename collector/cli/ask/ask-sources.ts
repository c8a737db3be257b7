import { AskError, type AskSources } from '../../../lib/ask/sources'
import { CollectorError } from '../../../lib/wire/errors'
import { type CollectorConnection, explainFailedRequest } from '../collector-connection'
import { openAndRead } from '../diff'
import { examine } from '../doctor/doctor'
import { NO_COLLECTOR, USAGE_ERROR, VERDICT_EXIT_CODES } from '../exit-codes'
import { gather } from '../judge/gather'
import { AS_CONFIGURED, readPlan } from '../judge/judging-arguments'
import { journalReader, journalSince, readSince } from '../since'

/** The longest wait of one call of a command. */
export const MOST_COMMAND_WAIT_MS = 86_400_000

interface AskOptions {
  readonly signal: AbortSignal
  readonly mostWaitMs: number
  /** The variables of the shell, which an SDK would read. */
  readonly own: NodeJS.ProcessEnv
  /** The folder of the nearest configuration. */
  readonly folder: string
}

/** The parts of the commands that the verbs read by. */
export function askSources(
  connection: CollectorConnection,
  { signal, mostWaitMs, own, folder }: AskOptions,
): AskSources {
  const { client, url, appUrl } = connection
  return {
    client,
    url,
    boardsUrl: appUrl ?? url,
    journalOf: async (text) => {
      const since = readSince(text, Date.now())
      if (since === null)
        throw new AskError(
          `since must be now, a journal number, a time such as 2026-11-21T10:00:00Z, an age such as 90s, 10m or 2h, or the name of a mark, got ${JSON.stringify(text)}`,
        )
      return journalSince(since, journalReader(client, signal))
    },
    recorded: ({ after, stamp }) =>
      gather({ client, collectorUrl: url, stamp, after, stop: signal, onProgress: () => undefined }),
    plan: async () => {
      const read = await readPlan(AS_CONFIGURED, folder)
      if (!read.ok) throw new AskError(read.error.join('\n'))
      return read.value.plan
    },
    doctor: (of) => examine(connection, { ...of, own, stop: signal }),
    run: async (path) => {
      const run = await openAndRead(path)
      if (!run.ok) throw new AskError(run.error)
      return run.value
    },
    now: Date.now,
    mostWaitMs,
    signal,
  }
}

/** Why a verb did not answer: a sentence, and the exit code of its command. */
export function explainFailure(
  cause: unknown,
  { url }: Pick<CollectorConnection, 'url'>,
): { readonly code: number; readonly message: string } {
  if (cause instanceof AskError)
    return { code: cause.isMissing ? VERDICT_EXIT_CODES.fail : USAGE_ERROR, message: cause.message }
  if (cause instanceof CollectorError && cause.status === null) return { code: NO_COLLECTOR, message: noCollector(url) }
  return explainFailedRequest(cause, { url })
}

const noCollector = (url: string): string =>
  `No collector answers at ${url}. Start one in the folder of your project: waystation start, or npm start in a clone of Waystation. To use another one, set WAYSTATION_COLLECTOR_URL to its address.`
