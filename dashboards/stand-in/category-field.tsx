import { CATEGORIES, EVERYTHING } from './rule-form'

interface CategoryFieldProps {
  readonly label: string
  /** What every category together is called here. */
  readonly everything: string
  readonly value: string
  readonly onChange: (category: string) => void
}

/** One data category, or all of them. */
export function CategoryField({ label, everything, value, onChange }: CategoryFieldProps) {
  return (
    <label>
      {label}
      <select className="field" value={value} onChange={({ target }) => onChange(target.value)}>
        {CATEGORIES.map((category) => (
          <option key={category} value={category}>
            {category === EVERYTHING ? everything : category}
          </option>
        ))}
      </select>
    </label>
  )
}
