import { useId } from 'react'
import { Glyph } from '../ui/glyph'
import { usePreference } from '../ui/preferences'
import styles from './editor.module.css'
import { DEFAULT_EDITOR, editorHref, editorProblem, mappingProblem } from './editor-link'

interface EditorLinkProps {
  readonly path: string
  readonly line: number | null
  readonly column: number | null
}

/** Opens the line of a frame in the reader's editor. */
export function EditorLink({ path, line, column }: EditorLinkProps) {
  const [template] = usePreference('editor')
  const [mapping] = usePreference('editor-paths')
  const href = editorHref(template ?? DEFAULT_EDITOR, mapping ?? '', { path, line: line ?? 1, column: column ?? 1 })
  if (href === null) return null
  return (
    <a className={`button ${styles.link}`} href={href} title={href}>
      <Glyph name="editor" />
      Open in editor
    </a>
  )
}

/** The editor of this reader, and where a container's folder is on this computer. Kept in this browser. */
export function EditorSettings() {
  const [template, setTemplate] = usePreference('editor')
  const [mapping, setMapping] = usePreference('editor-paths')
  return (
    <details className={styles.settings}>
      <summary>Which editor</summary>
      <div className={styles.fields}>
        <Setting
          label="Link of your editor"
          value={template ?? ''}
          placeholder={DEFAULT_EDITOR}
          problem={template === null ? null : editorProblem(template)}
          onChange={setTemplate}
        />
        <Setting
          label="Folder of a container = folder here"
          value={mapping ?? ''}
          placeholder="/app=/home/me/shop"
          problem={mappingProblem(mapping ?? '')}
          onChange={setMapping}
        />
      </div>
    </details>
  )
}

interface SettingProps {
  readonly label: string
  readonly value: string
  readonly placeholder: string
  readonly problem: string | null
  readonly onChange: (value: string | null) => void
}

function Setting({ label, value, placeholder, problem, onChange }: SettingProps) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="field mono"
        value={value}
        placeholder={placeholder}
        spellCheck={false}
        aria-invalid={problem !== null}
        aria-describedby={problem === null ? undefined : `${id}-problem`}
        onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}
      />
      {problem !== null && (
        <p id={`${id}-problem`} className="toned" data-tone="bad">
          {problem}
        </p>
      )}
    </div>
  )
}
