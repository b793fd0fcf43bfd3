import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'

type Json = Record<string, unknown>
type Direction = 'input' | 'output'

const LOCAL_REFERENCE = /"#\/\$defs\/([^"]+)"/g

/** Zod schemas as JSON Schema. Those with an id in their meta are kept once, under that name, and referred to. */
export class JsonSchemas {
  readonly #named = new Map<string, { definition: Json; rewritten: Json }>()

  /** What may be sent (`input`) or is answered (`output`). */
  convert(schema: z.ZodType, direction: Direction): Json {
    const { $defs = {}, ...root } = convertAlone(schema, direction)
    const definitions = Object.entries($defs as Record<string, Json>)
    const names = new Map(definitions.map(([id, definition]) => [id, this.#nameFor(id, definition, direction)]))

    for (const [id, definition] of definitions) {
      this.#named.set(names.get(id) ?? id, { definition, rewritten: rewriteReferences(definition, names) })
    }
    return rewriteReferences(root, names)
  }

  /** The members of an object schema that is spelled out as parameters. */
  members(schema: z.ZodType | undefined): { name: string; schema: Json; isRequired: boolean }[] {
    const { properties = {}, required = [] } = schema ? this.convert(schema, 'input') : {}
    return Object.entries(properties as Record<string, Json>).map(([name, member]) => ({
      name,
      schema: member,
      isRequired: (required as string[]).includes(name),
    }))
  }

  /** Every schema with a name, in the order of the names. */
  named(): Json {
    const names = [...this.#named.keys()].sort()
    return Object.fromEntries(names.map((name) => [name, this.#named.get(name)?.rewritten]))
  }

  /** A schema that is sent in another form than it is answered has two names. */
  #nameFor(id: string, definition: Json, direction: Direction): string {
    const known = this.#named.get(id)
    if (!known || isDeepStrictEqual(known.definition, definition)) return id
    return `${id}${direction === 'input' ? 'Input' : 'Output'}`
  }
}

const convertAlone = (schema: z.ZodType, direction: Direction): Json => {
  const json = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: direction,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod
      if (def.type === 'date') Object.assign(jsonSchema, { type: 'string', format: 'date-time' })
      // Zod closes every object it answers with; only those declared so are closed.
      if (def.type === 'object' && !('catchall' in def && def.catchall)) delete jsonSchema.additionalProperties
      if (jsonSchema.format) delete jsonSchema.pattern
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  })
  delete json.$schema
  return json
}

const rewriteReferences = (schema: Json, names: ReadonlyMap<string, string>): Json => {
  const text = JSON.stringify(schema).replaceAll(
    LOCAL_REFERENCE,
    (_, id: string) => `"#/components/schemas/${names.get(id) ?? id}"`,
  )
  return JSON.parse(text) as Json
}
