import path from 'node:path'
import { inspect } from 'node:util'

/** One line per test file, every failure in full, and the count at the end. */
export default async function* report(source) {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  const files = new Map()
  const failures = []
  for await (const { type, data } of source) {
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const isFile = data.nesting === 0 && data.file?.endsWith(path.basename(data.name)) && data.name.endsWith('.js')
    if (isFile && type === 'test:pass') continue
    if (data.details.type === 'suite') {
      if (type === 'test:pass' || data.details.error?.failureType === 'subtestsFailed') continue
    }
    const outcome = data.skip !== undefined ? 'skipped' : type === 'test:pass' ? 'passed' : 'failed'
    counts[outcome]++
    const name = relative(data.file)
    const file = files.get(name) ?? { passed: 0, failed: 0, skipped: 0 }
    file[outcome]++
    files.set(name, file)
    if (outcome === 'failed') {
      failures.push(failure(data))
      yield failures.at(-1)
    }
    if (outcome === 'skipped')
      yield `  - skipped: ${data.name}${typeof data.skip === 'string' ? ` (${data.skip})` : ''}\n`
  }
  for (const [name, { passed, failed }] of [...files].sort())
    yield `  ${failed ? '✗' : '✓'} ${name}: ${passed}${failed ? ` passed, ${failed} failed` : ''}\n`
  if (failures.length > 0) yield `\nFailures again:\n${failures.join('')}`
  yield `\n${counts.passed} passed, ${counts.failed} failed${counts.skipped ? `, ${counts.skipped} skipped` : ''}\n`
}

const relative = (file) =>
  path
    .relative(process.cwd(), file ?? '')
    .replace(/\/dist\//, '/')
    .replace(/\.js$/, '.ts')

const failure = ({ name, file, details }) => {
  const error = details.error?.cause ?? details.error
  return `\n  ✗ ${relative(file)}: ${name}\n${inspect(error, { depth: 5 }).replace(/^/gm, '      ')}\n`
}
