import type { Evidence, SeenEvent } from '../evidence/evidence'

/** Levels of an event that tell of an error. */
const ERROR_LEVELS: readonly string[] = ['error', 'fatal']

/** Events of level error and fatal, each once; the same id told again as a mere message takes nothing back. */
export const toldErrors = ({ events }: Evidence): readonly SeenEvent[] => [
  ...new Map(
    events.filter(({ level }) => ERROR_LEVELS.includes(level)).map((event) => [event.eventId, event]),
  ).values(),
]
