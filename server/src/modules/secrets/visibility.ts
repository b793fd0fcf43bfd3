import type { Ability, Home, Spot } from './places.service.ts'
import type { Entry, Snapshot } from './snapshot.ts'

export type Present = Ability['present']
/** Some secrets of one folder, as someone may see them. */
export type Shown = { snapshot: Snapshot; spot: Home; entries: readonly Entry[]; areHidden: boolean }

type Named = { key: string; tags: readonly string[] }

/** The words that rules use for one secret. */
export const fieldsOf = ({ environment, path }: Spot, { key, tags }: Named) => ({
  environment,
  secretPath: path,
  secretName: key,
  secretTags: tags,
})

/** Those that the actor may know of, split by whether it may read them. Its own are always its own. */
export const split = (ability: Present, { environment, path }: Spot, entries: readonly Entry[]) => {
  const place = { environment, secretPath: path }
  const mayDescribe = ability.within('describeSecret', 'secrets', place)
  const mayRead = ability.within('readValue', 'secrets', place)
  const readable: Entry[] = []
  const unreadable: Entry[] = []
  for (const entry of entries) {
    const rest = { secretName: entry.key, secretTags: entry.tags }
    if (!mayDescribe(rest)) continue
    if (entry.isPersonal || mayRead(rest)) readable.push(entry)
    else unreadable.push(entry)
  }
  return { readable, unreadable }
}

/** All that the actor may know of, in their order, for an answer that shows no values. */
export const describable = (ability: Present, { environment, path }: Spot, entries: readonly Entry[]): Entry[] => {
  const mayDescribe = ability.within('describeSecret', 'secrets', { environment, secretPath: path })
  return entries.filter(({ key, tags }) => mayDescribe({ secretName: key, secretTags: tags }))
}

type Filter = {
  tagSlugs?: readonly string[] | undefined
  metadata?: readonly { key: string; value: string }[] | undefined
}

/** Any of the tags, all of the metadata that is not encrypted. */
export const matching = (entries: readonly Entry[], { tagSlugs = [], metadata = [] }: Filter): readonly Entry[] => {
  if (tagSlugs.length === 0 && metadata.length === 0) return entries
  const hasWanted = (entry: Entry, wanted: { key: string; value: string }) =>
    entry.metadata.some(({ key, value }) => key === wanted.key && value === wanted.value)
  return entries.filter(
    (entry) =>
      (tagSlugs.length === 0 || entry.tags.some((slug) => tagSlugs.includes(slug))) &&
      metadata.every((wanted) => hasWanted(entry, wanted)),
  )
}
