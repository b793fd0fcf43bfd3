import { Credentials } from '../modules/project-events/credentials.ts'
import { Judge } from '../modules/project-events/judge.ts'
import { ProjectEventService } from '../modules/project-events/project-events.service.ts'
import { StreamHub } from '../modules/project-events/stream-hub.ts'
import { StreamSlots } from '../modules/project-events/stream-slots.ts'
import type { ProjectService } from '../modules/projects/projects.service.ts'
import type { Base } from './base.ts'
import type { createMachines } from './machines.ts'
import type { createPeople } from './people.ts'

type Callers = ReturnType<typeof createPeople> & ReturnType<typeof createMachines>

/** Who hears of changes as they happen. */
export const createEventStreams = (shared: Base & Callers & { projects: ProjectService }) => {
  const judge = new Judge(shared)
  const eventStreams = new StreamHub({ ...shared, judge })
  const streamSlots = new StreamSlots({ ...shared, streamsPerProjectMax: shared.config.streamsPerProjectMax })
  const credentials = new Credentials(shared)
  const projectEvents = new ProjectEventService({
    ...shared,
    credentials,
    judge,
    hub: eventStreams,
    slots: streamSlots,
  })
  return { eventStreams, streamSlots, projectEvents }
}
