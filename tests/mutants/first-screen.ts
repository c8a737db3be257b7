/** Lines that a person sees without scrolling. */
const SCREEN_LINES = 24
const BEGINS = /^ {2}Waystation recorded /

/** The lines that Waystation printed after the output of the suite; empty if it printed no summary. */
export function waystationLines(output: string): readonly string[] {
  const lines = output.trimEnd().split('\n')
  const first = lines.findLastIndex((line) => BEGINS.test(line))
  return first < 0 ? [] : lines.slice(first)
}

/**
 * - `named`: the first screen, or the last line, names the fault
 * - `vague`: neither does
 * - `wrong`: the last line, which has the first cause, names another fault
 */
export type Clarity = 'named' | 'vague' | 'wrong'
export const CLARITIES: readonly Clarity[] = ['named', 'vague', 'wrong']

/**
 * Judges the first screen of a run.
 * @param isNew does the control lack this line?
 */
export function clarityOf(
  printed: readonly string[],
  { named, wrong }: { readonly named: RegExp; readonly wrong?: RegExp },
  isNew: (line: string) => boolean,
): Clarity {
  const last = printed.at(-1) ?? ''
  if (wrong?.test(last)) return 'wrong'
  // Sentences are wrapped.
  const seen = [
    ...printed
      .slice(0, SCREEN_LINES)
      .filter(isNew)
      .map((line) => line.trim()),
    last,
  ].join(' ')
  return named.test(seen) ? 'named' : 'vague'
}
