const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
  tib: 1024 ** 4,
}

/** `2GiB`, `500 MiB`, `4096` as bytes; `null` for anything else. `KB` and `MB` are read as binary units too. */
export function parseSize(text: string): number | null {
  const found = /^(\d{1,12}(?:\.\d{1,3})?)\s*([kmgt]?i?b|[kmgt]|)$/i.exec(text.trim())
  if (found === null) return null
  const letters = (found[2] ?? '').toLowerCase()
  const unit = UNITS[letters === '' || letters === 'b' ? letters : `${letters[0]}ib`]
  return unit === undefined ? null : Math.floor(Number(found[1]) * unit)
}
