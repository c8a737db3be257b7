import * as z from 'zod'
import { nameHint } from '../config/nearest'
import type { Answer } from './answer'
import { AskError, type AskSources } from './sources'

/** A verb as data. The command and the tool of MCP are both made from it. */
export interface Verb {
  readonly name: string
  /** For the list of tools: short, because every session of an agent reads it. */
  readonly description: string
  /** Arguments as JSON Schema. */
  readonly properties: Readonly<Record<string, VerbProperty>>
  readonly required: readonly string[]
  readonly isReadOnly: boolean
  /** @throws AskError for wrong arguments, CollectorError when the collector refuses */
  readonly run: (sources: AskSources, given: Readonly<Record<string, unknown>>) => Promise<Answer>
}

const propertySchema = z.looseObject({
  type: z.enum(['string', 'integer', 'boolean']),
  description: z.string().optional(),
  enum: z.array(z.string()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  maxLength: z.number().optional(),
})
export type VerbProperty = z.infer<typeof propertySchema>

const definitionSchema = z.object({
  properties: z.record(z.string(), propertySchema),
  required: z.array(z.string()).default([]),
})

/** Makes a verb of its input schema and the function that answers. @param of.isReadOnly true unless it changes or probes something */
export function defineVerb<Shape extends z.ZodRawShape>(of: {
  readonly name: string
  readonly description: string
  readonly input: Shape
  readonly isReadOnly?: boolean
  readonly run: (sources: AskSources, input: z.infer<z.ZodObject<Shape>>) => Promise<Answer>
}): Verb {
  const schema = z.strictObject(of.input)
  const { properties, required } = definitionSchema.parse(z.toJSONSchema(schema, { io: 'input' }))
  return {
    name: of.name,
    description: of.description,
    properties,
    required,
    isReadOnly: of.isReadOnly ?? true,
    run: (sources, given) => {
      const read = schema.safeParse(given)
      if (read.success) return of.run(sources, read.data)
      throw new AskError(explainIssue(of.name, read.error.issues[0], given, properties))
    },
  }
}

/** Why the arguments are wrong: the value that was read, and the valid ones. */
function explainIssue(
  verb: string,
  issue: z.core.$ZodIssue | undefined,
  given: Readonly<Record<string, unknown>>,
  properties: Verb['properties'],
): string {
  if (issue?.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys
    return `${verb} has no argument ${JSON.stringify(key)}; ${nameHint(key, Object.keys(properties))}`
  }
  const name = String(issue?.path[0] ?? '')
  const valid = issue?.code === 'custom' ? issue.message : `must be ${validValues(properties[name])}`
  const value = given[name]
  return value === undefined
    ? `${verb} requires ${name}; it ${valid}`
    : `${name} ${valid}, got ${JSON.stringify(value)}`
}

/** The valid values of an argument in words. */
export function validValues(property: VerbProperty | undefined): string {
  if (property?.enum !== undefined) return `one of ${property.enum.join(', ')}`
  if (property?.type === 'integer') return `a whole number from ${property.minimum ?? 0} to ${property.maximum}`
  if (property?.type === 'boolean') return 'true or false'
  return property?.maxLength === undefined ? 'a text' : `a text of at most ${property.maxLength} characters`
}
