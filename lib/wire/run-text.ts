export const MOST_RUN_NAME_CHARACTERS = 100

/** True for a name that a person may give a run: not blank, and at most 100 characters. */
export const isRunName = (name: string): boolean => name.trim() !== '' && name.length <= MOST_RUN_NAME_CHARACTERS

const SHORT_COMMIT_CHARACTERS = 12

/** The beginning of a commit's hash, enough to find it. */
export const shortCommit = (commit: string): string => commit.slice(0, SHORT_COMMIT_CHARACTERS)

interface EndedRun {
  readonly exit: { readonly code: number; readonly signal: string | null }
  readonly verdict: string | null
}

/** How the run ended, as the end of a sentence: `ended with code 1, verdict fail`. */
export function runEnding({ exit, verdict }: EndedRun): string {
  const end = exit.signal === null ? `code ${exit.code}` : `signal ${exit.signal}`
  return `ended with ${end}, ${verdict === null ? 'not judged' : `verdict ${verdict}`}`
}
