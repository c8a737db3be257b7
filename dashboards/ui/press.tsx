import { printable } from './printable'

/** What may have been meant instead, at a press. */
export function Press({ words, onPress }: { readonly words: string; readonly onPress: () => void }) {
  return (
    <button type="button" className="button" onClick={onPress}>
      {printable(words)}
    </button>
  )
}
