import type { Config } from '../config.ts'
import { OperatorError } from '../lib/operator-error.ts'
import type { Services } from '../services.ts'
import { demoCommands } from './demo-commands.ts'
import { completeDemo, createDemo, createDemoLogin, DEMO_EMAIL, findDemo } from './demo-organization.ts'

type Deps = { services: Services; config: Pick<Config, 'siteUrl'>; write: (line: string) => void }

/** Fills an empty installation with an example, or finishes that, and says how to try it. One that is in use is left as it is. */
export const fillInDemo = async ({ services, config, write }: Deps): Promise<void> => {
  const isNew = !(await services.instance.settings()).isInitialized
  const demo = isNew ? 'incomplete' : await findDemo(services)
  if (demo !== 'incomplete') {
    write(
      demo
        ? '  The example is here already. `npx holdfast demo credentials`, with the environment of this server, makes a new client secret for it.'
        : '  The database is in use, so the example is not filled in: that takes an empty one.',
    )
    return
  }
  await (isNew ? createDemo(services) : completeDemo(services))
  await showCommands({ services, config, write })
  write(`  People log in as ${DEMO_EMAIL}; \`npx holdfast admin reset-password ${DEMO_EMAIL}\` gives a password.`)
}

/** A new client secret for the example, with the commands that use it. */
export const showCommands = async ({ services, config, write }: Deps): Promise<void> => {
  const demo = await findDemo(services)
  if (!demo) throw new OperatorError('The example is not here: `npm start -- --demo` fills it into an empty database')
  if (demo === 'incomplete') {
    throw new OperatorError(
      'The example is not complete: making it was interrupted, or parts of it were deleted. `npm start -- --demo` makes what is missing',
    )
  }
  write(demoCommands(await createDemoLogin(services, demo), config.siteUrl))
}
