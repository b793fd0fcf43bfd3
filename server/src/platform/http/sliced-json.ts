import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'

/** Some milliseconds of work. */
const SLICE_ITEMS = 200

/** The JSON of a long list, made slice by slice, so that others have their turn in between. */
export const renderInSlices = async <Item extends z.ZodType>(
  schema: Item,
  items: readonly z.output<Item>[],
): Promise<string> => {
  const texts: string[] = []
  for (let start = 0; start < items.length; start += SLICE_ITEMS) {
    const slice = items.slice(start, start + SLICE_ITEMS)
    texts.push(slice.map((item) => JSON.stringify(z.encode(schema, item))).join())
    await nextTurn()
  }
  return `[${texts.join()}]`
}
