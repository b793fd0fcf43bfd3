import type { Foundation } from './foundation.ts'
import { FirstRunService } from './modules/instance/first-run.service.ts'
import { InstanceService } from './modules/instance/instance.service.ts'
import { FirstToken } from './modules/token-auth/first-token.ts'
import { createBase } from './services/base.ts'
import { createCertificates } from './services/certificates.ts'
import { createMachines } from './services/machines.ts'
import { createGroups, createMemberships } from './services/members.ts'
import { createPeople } from './services/people.ts'
import { createLifecycle, createProjects } from './services/projects.ts'
import { createEventStreams } from './services/streams.ts'

export type Services = ReturnType<typeof createServices>

/** Every service with what it needs, wired by hand from left to right. */
export const createServices = (foundation: Foundation) => {
  const base = createBase(foundation)
  const people = createPeople(base)
  const machines = createMachines(base)
  const inProjects = createProjects(base)
  const inGroups = createGroups(base)
  const memberships = createMemberships({ ...base, ...machines, ...inGroups, ...inProjects })
  const pki = createCertificates({ ...base, projects: inProjects.projects })
  const lifecycle = createLifecycle({ ...base, ...inProjects, ...pki })
  const streams = createEventStreams({ ...base, ...people, ...machines, ...inProjects })

  const instance = new InstanceService(base)
  const tokenAuth = new FirstToken(machines)
  const firstRun = new FirstRunService({ ...base, ...people, identities: machines.identities, tokenAuth })
  /** Writes down what is still in memory. */
  const close = async () => {
    machines.providerKeys.close()
    await machines.machineLogins.close()
    await machines.tokenUses.close()
    await machines.clientSecrets.close()
    await pki.revocations.close()
    await base.audit.close()
    await streams.streamSlots.close()
  }
  const others = { ...memberships, ...pki, ...lifecycle, ...streams, instance, firstRun, close }
  return { ...base, ...people, ...machines, ...inGroups, ...inProjects, ...others }
}
