import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** `bench/results`, wherever the command was called. */
export const RESULTS = new URL('../../../results/', import.meta.url).pathname

/** The path as a person would type it. */
export const writeResult = async (name: string, content: string): Promise<string> => {
  await mkdir(RESULTS, { recursive: true })
  const file = path.join(RESULTS, name)
  await writeFile(file, content)
  return path.relative(process.cwd(), file)
}
