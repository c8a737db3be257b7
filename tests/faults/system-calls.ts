/** One system call in the output of `strace -f -y`. Its times are line numbers: of its begin and of its end. */
export interface SystemCall {
  readonly name: string
  /** Path or socket of its first argument, as `-y` shows it. */
  readonly target: string
  /** Descriptor number and target: the same for all calls on one connection. */
  readonly descriptor: string
  /** Arguments and result. */
  readonly text: string
  readonly began: number
  readonly over: number
}

const LINE = /^(?<thread>\d+) +(?<rest>.*)$/
const BEGUN = /^(?<head>\w+\(.*) <unfinished \.\.\.>$/
const RESUMED = /^<\.\.\. (?<name>\w+) resumed>(?<tail>.*)$/
const CALL = /^(?<name>\w+)\((?<descriptor>\d+<(?<target>(?:[^>]|->)*)>)/

/** Parses the output of strace. A call that another thread interrupts has two lines and becomes one call. */
export function systemCalls(trace: string): readonly SystemCall[] {
  const open = new Map<string, { readonly head: string; readonly began: number }>()
  const calls: SystemCall[] = []
  const note = (text: string, began: number, over: number): void => {
    const { name, descriptor, target } = CALL.exec(text)?.groups ?? {}
    if (name !== undefined && descriptor !== undefined && target !== undefined)
      calls.push({ name, descriptor, target, text, began, over })
  }
  for (const [index, line] of trace.split('\n').entries()) {
    const { thread, rest } = LINE.exec(line)?.groups ?? {}
    if (thread === undefined || rest === undefined) continue
    const head = BEGUN.exec(rest)?.groups?.head
    const tail = RESUMED.exec(rest)?.groups?.tail
    const begun = open.get(thread)
    if (head !== undefined) open.set(thread, { head, began: index })
    else if (tail === undefined) note(rest, index, index)
    else if (begun !== undefined) note(begun.head + tail, begun.began, index)
  }
  return calls
}

/**
 * Checks that a body was on disk before its 200: read from its connection, written to the log of spool.db, the log synced,
 * and only then a 200 written to the same connection.
 * @param marker text that occurs only in this body, and that is stored undeflated
 * @returns the step that is missing; `null` if none is
 */
export function missingSync(calls: readonly SystemCall[], marker: string): string | null {
  const read = calls.find(({ name, text }) => /^(?:read|recv)/.test(name) && text.includes(marker))
  if (read === undefined) return 'the body was not read from a connection'
  const isAfter = (call: SystemCall, earlier: SystemCall): boolean => call.began >= earlier.over
  const answer = calls.find(
    (call) =>
      /^(?:write|send)/.test(call.name) &&
      call.descriptor === read.descriptor &&
      isAfter(call, read) &&
      call.text.includes('HTTP/1.1 200'),
  )
  if (answer === undefined) return 'no 200 was written to its connection'
  const isLog = ({ target }: SystemCall): boolean => target.endsWith('/spool.db-wal')
  const logged = calls.findLast(
    (call) => isLog(call) && /^p?write/.test(call.name) && call.over < answer.began && call.text.includes(marker),
  )
  if (logged === undefined || !isAfter(logged, read)) return 'the body was not written to the log before its 200'
  const synced = calls.some(
    (call) => isLog(call) && /^f(?:data)?sync$/.test(call.name) && isAfter(call, logged) && call.over < answer.began,
  )
  return synced ? null : 'the log was not synced between the body and its 200'
}
