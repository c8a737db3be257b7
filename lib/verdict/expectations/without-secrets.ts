import { scrubText } from '../../scrub/scrub-text'

/**
 * A text that came from a payload, as it may stand in a report: titles and names go to logs of CI and into files of a
 * repository. `/home/garden` is a page there, and stays.
 */
export function withoutSecrets(text: string): string {
  let found = false
  const scrubbed = scrubText(text, 'plain', (rule) => {
    found ||= rule !== 'user_path'
  })
  return found ? scrubbed : text
}
