import { formatBytes, formatCount, formatDurationMs, plainText, plural } from '../../format'
import { codeSpan } from '../reports/github'
import { countDifferences, type Diff } from './diff'

/** A heading and its lines, of one kind. */
interface Block {
  readonly title: string
  readonly lines: readonly string[]
  /** Information: no difference that was judged. */
  readonly isNote?: true
}

function blocksOf(diff: Diff): readonly Block[] {
  const { spans, errors, rules, unjudgedRules, amounts, durations } = diff
  const all: readonly Block[] = [
    {
      title: 'Spans',
      lines: spans.changes.map(({ kind, trace, span, before, after }) => {
        const where = `${span} (in ${trace})`
        if (kind === 'came') return `+ came: ${where}, ${after} per trace`
        if (kind === 'went') return `- went: ${where}, ${before} per trace`
        return `~ count: ${where}, ${before} per trace, now ${after}`
      }),
    },
    {
      title: 'Errors',
      lines: errors.map(
        ({ kind, error, count }) => `${kind === 'new' ? '+ new' : '- gone'}: ${error} (${formatCount(count)})`,
      ),
    },
    { title: 'Rules', lines: rules.map(({ id, before, after }) => `~ ${id}: ${before}, now ${after}`) },
    {
      title: durations.isJudged ? 'Durations' : 'Largest differences of durations, not judged',
      lines: durations.changes.map(
        ({ span, beforeMs, afterMs }) => `~ ${span}: ${formatDurationMs(beforeMs)}, now ${formatDurationMs(afterMs)}`,
      ),
      ...(!durations.isJudged && { isNote: true as const }),
    },
    {
      title: 'Amounts, not judged',
      lines: amounts.map(
        ({ category, before, after }) =>
          `${category}: ${formatCount(before.items)} items (${formatBytes(before.bytes)}), now ${formatCount(after.items)} (${formatBytes(after.bytes)})`,
      ),
      isNote: true,
    },
    {
      title: 'Not judged',
      lines: [
        ...spans.unjudged,
        ...(unjudgedRules.length === 0 ? [] : [`rules that only some of the runs judged: ${unjudgedRules.join(', ')}`]),
        ...(durations.unjudged === null ? [] : [durations.unjudged]),
      ],
      isNote: true,
    },
  ]
  return all.filter(({ lines }) => lines.length > 0)
}

const NAMES = { spans: 'span', errors: 'error', rules: 'rule', durations: 'duration' } as const

/** The result in one line. */
export function diffHeadline(diff: Diff): string {
  const counts = Object.entries(countDifferences(diff)).flatMap(([kind, count]) =>
    count === 0 ? [] : [plural(count, NAMES[kind as keyof typeof NAMES])],
  )
  return counts.length === 0 ? 'No differences' : `Differences: ${counts.join(', ')}`
}

/** For a terminal. Ends with a newline. */
export function diffText(diff: Diff): string {
  const blocks = blocksOf(diff).map(({ title, lines }) => [
    `  ${title}`,
    ...lines.map((line) => `    ${plainText(line)}`),
  ])
  const head = [plainText(`${diffHeadline(diff)} between ${diff.bases.join(', ')} and ${diff.head}`)]
  return `${[head, ...blocks].map((lines) => lines.join('\n')).join('\n\n')}\n`
}

/** For a comment on a pull request. Received text is code, so that it is neither markup nor a mention. */
export function diffMarkdown(diff: Diff): string {
  const blocks = blocksOf(diff).map(({ title, lines, isNote }) => {
    const list = lines.map((line) => `- ${codeSpan(plainText(line).replaceAll(/[\r\n]+/g, ' '))}`).join('\n')
    return isNote === true ? `<details><summary>${title}</summary>\n\n${list}\n\n</details>` : `**${title}**\n\n${list}`
  })
  return `${[`### Telemetry: ${diffHeadline(diff)}`, ...blocks].join('\n\n')}\n`
}
