import { plainText } from '../../lib/format'

/** One line that says why it is not over yet, on a terminal alone. */
export function waitingLine(): { readonly show: (what: string) => void; readonly clear: () => void } {
  const { stderr } = process
  if (stderr.isTTY !== true) return { show: () => undefined, clear: () => undefined }
  return {
    show: (what) => stderr.write(`\r\u001b[KWaiting ${plainText(what)} …`),
    clear: () => stderr.write('\r\u001b[K'),
  }
}
